package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RefusedCallsTest {
    private static final String TOKEN = "correct-horse-battery-staple";
    private static final String WRONG = "wrong-horse-battery-staple";
    private static final String RIGHT = "Authorization: Bearer " + TOKEN;

    @Test
    void tellsWhoCameWithWhichFault() throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            call(admin, "GET", "Host: a");
            call(admin, "GET", "Host: a\r\nAuthorization: Bearer " + WRONG);
            call(admin, "POST", "Host: a\r\n" + RIGHT + "\r\nOrigin: http://b");
            call(admin, "POST", "Host: a\r\n" + RIGHT + "\r\nContent-Type: text/plain");
            assertEquals(
                    List.of(
                            CallRefusal.NO_TOKEN,
                            CallRefusal.WRONG_TOKEN,
                            CallRefusal.CROSS_ORIGIN,
                            CallRefusal.NOT_JSON),
                    List.copyOf(admin.refusals));
            for (String client : admin.refusedClients) {
                assertTrue(client.startsWith("127.0.0.1:"), client);
            }
        }
    }

    @Test
    void tellsOfAForeignName() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            call(admin, "GET", "Host: evil.example");
            assertEquals(List.of(CallRefusal.UNKNOWN_HOST), List.copyOf(admin.refusals));
        }
    }

    @Test
    void countsThemByReasonAndRepeatsNoToken() throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            for (int i = 0; i < 3; i++) {
                call(admin, "GET", "Host: a\r\nAuthorization: Bearer " + WRONG);
            }
            String metrics = admin.get("/metrics", "Authorization", "Bearer " + TOKEN).body();
            String name = "\nhandoff_admin_refused_requests_total{reason=";
            assertTrue(metrics.contains(name + "\"wrong_token\",} 3.0\n"), metrics);
            assertTrue(metrics.contains(name + "\"unknown_host\",} 0.0\n"), metrics);
            assertFalse(metrics.contains("staple"), metrics);
        }
    }

    @Test
    void answersTheRightTokenHoweverManyWrongOnesCameBefore() throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            for (int i = 0; i < 200; i++) {
                call(admin, "GET", "Host: a\r\nAuthorization: Bearer " + WRONG);
            }
            assertTrue(call(admin, "GET", "Host: a\r\n" + RIGHT).startsWith("HTTP/1.1 200 "));
        }
    }

    @Test
    void countsNoProbeWhoseTokenNobodyLooksAt() throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            admin.get("/ready", "Authorization", "Bearer " + WRONG);
            assertEquals(List.of(), List.copyOf(admin.refusals));
        }
    }

    private static String call(RunningAdmin admin, String method, String fields) throws Exception {
        String path = method.equals("GET") ? "/workers" : "/drain";
        return admin.raw(
                "%s %s HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n%s\r\n\r\n"
                        .formatted(method, path, fields));
    }
}

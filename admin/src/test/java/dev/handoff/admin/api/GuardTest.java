package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class GuardTest {
    private static final String TOKEN = "correct-horse-battery-staple";

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LocalHost:1", "127.0.0.1:8081", "[::1]:80", "[::1]"})
    void isForThisMachineWithoutAToken(String host) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            assertEquals(200, get(admin, "/live", "Host: " + host));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:8081",
                "localhost.evil.example",
                "localhost.",
                "127.0.0.1.evil.example",
                "127.0.0.2",
                "0.0.0.0",
                "[::2]"
            })
    void isForNoOtherNameWithoutAToken(String host) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            for (String path : new String[] {"/live", "/workers", "/nothing", "/"}) {
                assertEquals(421, get(admin, path, "Host: " + host), path);
            }
        }
    }

    @Test
    void isForAnyNameWithTheToken() throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            assertEquals(200, get(admin, "/live", "Host: ops.example"));
            assertEquals(
                    200,
                    get(admin, "/workers", "Host: ops.example\r\nAuthorization: Bearer " + TOKEN));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/live, 200",
        "/ready, 503",
        "/workers, 401",
        "/config, 401",
        "/drain, 401",
        "/nothing, 401"
    })
    void asksForTheTokenButForProbes(String path, int status) throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            assertEquals(status, get(admin, path, "Host: a"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer wrong-horse-battery-staple",
                "Bearer correct-horse-battery-stapl",
                "Bearer correct-horse-battery-staple-",
                "Bearer",
                "Bearer ",
                "Basic correct-horse-battery-staple",
                "correct-horse-battery-staple",
                "Bearer correct-horse-battery-staple\r\nAuthorization: Bearer x",
                "Bearer x\r\nAuthorization: Bearer correct-horse-battery-staple"
            })
    void refusesAWrongTokenWithoutRepeatingIt(String authorization) throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            String response =
                    admin.raw(
                            request(
                                    "GET",
                                    "/workers",
                                    "Host: a\r\nAuthorization: " + authorization));
            assertEquals(401, status(response));
            assertTrue(response.contains("\r\nwww-authenticate: Bearer"), response);
            assertFalse(response.contains("staple"), response);
        }
    }

    @Test
    void takesTheSchemeInAnyCase() throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            assertEquals(200, get(admin, "/workers", "Host: a\r\nAuthorization: bearer " + TOKEN));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://evil.example",
                "Origin: null",
                "Origin: http://127.0.0.1",
                "Origin: http://127.0.0.1:3000",
                "Origin: http://127.0.0.1:8081.evil.example",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site",
                "Origin: http://127.0.0.1:8081\r\nSec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
                "Origin: http://127.0.0.1:8081\r\nOrigin: http://evil.example"
            })
    void changesNothingForPagesOfAnotherOrigin(String fields) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            String head = "Host: 127.0.0.1:8081\r\nContent-Length: 0\r\n" + fields;
            assertEquals(403, status(admin.raw(request("POST", "/drain", head))));
            assertFalse(admin.operations.draining);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://127.0.0.1:8081",
                "Origin: https://127.0.0.1:8081\r\nSec-Fetch-Site: same-origin",
                "Sec-Fetch-Site: none"
            })
    void doesWhatItsOwnPageAsksFor(String fields) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            String head = "Host: 127.0.0.1:8081\r\nContent-Length: 0\r\n" + fields;
            assertEquals(202, status(admin.raw(request("POST", "/drain", head))));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/x-www-form-urlencoded",
                "text/plain",
                "multipart/form-data; boundary=x",
                "application/jsonp",
                ""
            })
    void takesNoBodyThatAFormCouldSend(String type) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            String head = "Host: localhost\r\nContent-Length: 2\r\nContent-Type: " + type;
            assertEquals(415, status(admin.raw(request("POST", "/drain", head) + "{}")));
            assertFalse(admin.operations.draining);
        }
    }

    @Test
    void takesNoBodyWithoutAType() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            String head = "Host: localhost\r\nContent-Length: 2";
            assertEquals(415, status(admin.raw(request("POST", "/drain", head) + "{}")));
        }
    }

    @Test
    void servesARequestThatNamesNoHost() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            assertEquals(200, status(admin.raw("GET /live HTTP/1.0\r\n\r\n")));
        }
    }

    private static int get(RunningAdmin admin, String path, String fields) throws IOException {
        return status(admin.raw(request("GET", path, fields)));
    }

    private static String request(String method, String path, String fields) {
        return "%s %s HTTP/1.1\r\nConnection: close\r\n%s\r\n\r\n".formatted(method, path, fields);
    }

    private static int status(String response) {
        return Integer.parseInt(response.substring(9, 12));
    }
}

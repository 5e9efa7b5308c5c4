package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.ConnectionEnd;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever floods the admin server keeps nobody else out of it. */
@Timeout(60)
class FloodTest {
    /** More than the admin server has places. */
    private static final int MANY = 300;

    private RunningAdmin admin;

    @BeforeEach
    void start() throws Exception {
        admin = RunningAdmin.start();
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
    }

    @Test
    void answersBesideConnectionsThatSayNothing() throws Exception {
        for (int i = 0; i < MANY; i++) {
            admin.open(admin.admin.port());
        }
        assertLives(ConnectionEnd.EVICTED);
    }

    @Test
    void answersBesideHeadsThatDoNotEnd() throws Exception {
        flood("GET /live HTTP/1.1\r\nHost: local");
        assertLives(ConnectionEnd.EVICTED);
    }

    @Test
    void answersBesideBodiesThatDoNotEnd() throws Exception {
        flood("POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{");
        assertLives(ConnectionEnd.EVICTED);
    }

    @Test
    void answersBesideClientsThatDoNotReadTheirResponses() throws Exception {
        flood("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50));
        // Their responses take all the memory before they take all the places.
        assertLives(ConnectionEnd.BUFFERS_FULL, ConnectionEnd.EVICTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/metrics", "/stats"})
    void writesOneTextForAllWhoAskAtOnce(String path) throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        admin.loops.get(0).execute(() -> await(held));
        // The first has the loops asked, and all that come while they are asked share the next.
        var first = ask(path);
        var second = ask(path);
        var third = ask(path);
        held.countDown();
        Body shared = second.get(20, TimeUnit.SECONDS).body();
        assertSame(shared, third.get(20, TimeUnit.SECONDS).body());
        assertNotSame(shared, first.get(20, TimeUnit.SECONDS).body());
        assertNotSame(shared, ask(path).get(20, TimeUnit.SECONDS).body());
    }

    /** The operation itself, as the response on the wire does not tell whose it is. */
    private CompletableFuture<Response> ask(String path) throws Exception {
        Endpoint endpoint =
                admin.admin.endpoints().stream()
                        .filter(each -> each.path().equals(path))
                        .findFirst()
                        .orElseThrow();
        Request request = new Request("GET", path, HttpVersion.HTTP_1_1, Headers.EMPTY, Body.EMPTY);
        Call call = new Call(request, "", Query.parse("", Set.of()), true, Runnable::run);
        return endpoint.operation().answer(call).toCompletableFuture();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void takesNoBodyBeyondItsLimit() throws Exception {
        String head =
                "POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        assertTrue(admin.raw(head + "Content-Length: 65537\r\n\r\n").startsWith("HTTP/1.1 413 "));
        String atLimit = "{}" + " ".repeat(65_534);
        String response =
                admin.raw(head + "Connection: close\r\nContent-Length: 65536\r\n\r\n" + atLimit);
        assertTrue(response.startsWith("HTTP/1.1 202 "), response);
    }

    private void flood(String bytes) throws Exception {
        for (int i = 0; i < MANY; i++) {
            admin.open(admin.admin.port()).send(bytes);
        }
    }

    /** Places are given up at once, and not when they have been idle for long enough. */
    private void assertLives(ConnectionEnd... floodEnds) throws Exception {
        for (int i = 0; i < 10; i++) {
            assertEquals("live\n", admin.get("/live", "x-attempt", Integer.toString(i)).body());
        }
        assertFalse(Collections.disjoint(admin.ends, Set.of(floodEnds)), admin.ends.toString());
    }
}

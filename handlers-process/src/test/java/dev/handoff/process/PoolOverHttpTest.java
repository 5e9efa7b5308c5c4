package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client sees on its socket, with the real server in front of the pool. */
final class PoolOverHttpTest {
    private TestPool pool;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start(TestPool.queueOf(1, 1_000_000));
        server =
                HttpServer.start(ServerOptions.of(pool.pool.handler()).withLoops(pool.loops.all()));
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        pool.close();
    }

    @Test
    void aRequestGoesThereAndBack() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient client = connect()) {
            client.send(
                    "POST /echo?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                            + "Content-Length: 4\r\n\r\nbody");
            Message.Request request = worker.request();
            assertEquals("/echo?x=1", request.target());
            assertEquals("body", request.body().toUtf8());
            assertEquals("127.0.0.1:" + client.localPort(), request.client());
            worker.answer(request, "there and back");
            String response = client.readToEnd();
            assertTrue(response.startsWith("HTTP/1.1 200 OK\r\n"), response);
            assertTrue(response.endsWith("\r\n\r\nthere and back"), response);
        }
    }

    @Test
    void bodiesOfEverySizeArriveWhole() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            for (int size : new int[] {1, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000}) {
                for (int i = 0; i < 2; i++) {
                    String body = Character.toString('a' + i).repeat(size);
                    try (RawClient client = connect()) {
                        client.send(
                                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                                        + "Content-Length: "
                                        + size
                                        + "\r\n\r\n"
                                        + body);
                        Message.Request request = worker.request();
                        assertEquals(body, request.body().toUtf8());
                        worker.answer(request, body);
                        assertTrue(client.readToEnd().endsWith("\r\n\r\n" + body));
                    }
                }
            }
        }
    }

    @Test
    void aFullQueueIs503WithRetryAfter() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient held = get()) {
            worker.request();
            try (RawClient oldest = get()) {
                awaitQueued();
                try (RawClient newest = get()) {
                    assertFailure(oldest.readToEnd(), "503 Service Unavailable", "queue_full");
                    assertTrue(!held.hasInput() && !newest.hasInput());
                }
            }
        }
    }

    @Test
    void noWorkerIs503AfterTheGrace() throws IOException {
        try (RawClient client = get()) {
            awaitQueued();
            pool.advance(PoolLimits.DEFAULT.noWorkerGrace());
            assertFailure(client.readToEnd(), "503 Service Unavailable", "no_worker");
        }
    }

    @Test
    void aFailedHandlerIs500() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient client = get()) {
            worker.send(new Message.Failure(worker.request().id(), "oops", false));
            assertFailure(client.readToEnd(), "500 Internal Server Error", "handler_failed");
        }
    }

    @Test
    void aLostWorkerIs502() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient client = get()) {
            worker.request();
            worker.die();
            assertFailure(client.readToEnd(), "502 Bad Gateway", "worker_lost");
        }
    }

    @Test
    void anInvalidResponseIs502AndItsWorkerStays() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            Headers none = Headers.EMPTY;
            Headers injected = Headers.of("x", "a\r\nset-cookie: b");
            for (Response bad :
                    new Response[] {
                        new Response(199, null, none, Body.EMPTY),
                        new Response(600, null, none, Body.EMPTY),
                        new Response(200, "OK\r\nx: y", none, Body.EMPTY),
                        new Response(200, null, injected, Body.EMPTY),
                        new Response(200, null, Headers.of("a b", "c"), Body.EMPTY),
                    }) {
                try (RawClient client = get()) {
                    worker.send(new Message.Response(worker.request().id(), bad));
                    String response = client.readToEnd();
                    assertFailure(response, "502 Bad Gateway", "bad_response");
                    assertTrue(!response.contains("set-cookie"), response);
                }
            }
            try (RawClient client = get()) {
                worker.answerNext("good");
                assertTrue(client.readToEnd().endsWith("good"));
            }
        }
    }

    @Test
    void aClientThatLeavesHasItsRequestCancelled() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            RawClient client = get();
            Message.Request request = worker.request();
            client.reset();
            assertEquals(
                    new Message.Cancel(request.id(), CancelReason.CLIENT_GONE),
                    worker.expect(Message.Cancel.class));
        }
    }

    @Test
    void aDeadlineIs504AndCancelled() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient client = get()) {
            Message.Request request = worker.request();
            pool.advance(Duration.ofMillis(request.timeoutMillis()));
            assertFailure(client.readToEnd(), "504 Gateway Timeout", "deadline");
            assertEquals(
                    new Message.Cancel(request.id(), CancelReason.DEADLINE),
                    worker.expect(Message.Cancel.class));
        }
    }

    private RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    private RawClient get() throws IOException {
        return connect().get("/", "Connection: close");
    }

    private void awaitQueued() {
        pool.await(snapshot -> snapshot.queued() > 0);
    }

    private static void assertFailure(String response, String status, String code) {
        assertTrue(response.startsWith("HTTP/1.1 " + status + "\r\n"), response);
        assertTrue(response.contains("handoff-error: " + code + "\r\n"), response);
        assertEquals(status.startsWith("503"), response.contains("retry-after: 1\r\n"), response);
    }
}

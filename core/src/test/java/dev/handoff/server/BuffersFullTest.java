package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What clients may make the server hold: {@link ServerLimits#bufferedBytes}, half and half. */
class BuffersFullTest {
    private static final int BODY_BYTES = 100_000;

    /** A parser holds the body that was declared, once most of it has come, and a little more. */
    private static final int SLACK_BYTES = 4 * 1024;

    /** More than the kernel takes for a client that reads nothing. */
    private static final int LARGE_BYTES = 10_000_000;

    private static final int SMALL_WINDOW_BYTES = 4096;

    @Test
    void theUploadThatPassesTheLimitIsAnswered503() throws IOException {
        ServerLimits.Builder limits =
                ServerLimits.builder().bufferedBytes(2 * (2 * BODY_BYTES - SLACK_BYTES));
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            beginUpload(first);
            server.settleUntil(() -> server.http.connections() == 2);
            server.settle();
            beginUpload(second);

            RawResponse refused = second.readResponse();
            assertEquals("buffers_full", refused.header("handoff-error"));
            assertEquals("1", refused.header("retry-after"));
            first.send("x");
            assertEquals("/", first.readResponse().text());
        }
    }

    @Test
    void uploadsAtTheLimitAreServedAndGiveTheirMemoryBack() throws IOException {
        ServerLimits.Builder limits =
                ServerLimits.builder().bufferedBytes(2 * (2 * BODY_BYTES + SLACK_BYTES));
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            for (int i = 0; i < 3; i++) {
                beginUpload(first);
                beginUpload(second);
                server.settle();
                first.send("x");
                second.send("x");
                assertEquals("/", first.readResponse().text());
                assertEquals("/", second.readResponse().text());
            }
        }
    }

    @Test
    void aClientThatLeavesGivesItsMemoryBack() throws IOException {
        ServerLimits.Builder limits =
                ServerLimits.builder().bufferedBytes(2 * (2 * BODY_BYTES - SLACK_BYTES));
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits)) {
            for (int i = 0; i < 3; i++) {
                try (RawClient leaves = server.connect()) {
                    beginUpload(leaves);
                    server.settleUntil(() -> server.http.connections() == 1);
                }
                server.settleUntil(() -> server.http.connections() == 0);
            }
            try (RawClient stays = server.connect()) {
                beginUpload(stays);
                stays.send("x");
                assertEquals("/", stays.readResponse().text());
            }
        }
    }

    @Test
    void requestsInHandCountAsWell() throws IOException, InterruptedException {
        ServerLimits.Builder limits =
                ServerLimits.builder().bufferedBytes(2 * (2 * BODY_BYTES - SLACK_BYTES));
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            beginUpload(first);
            first.send("x");
            Exchange inHand = held.take();
            beginUpload(second);
            assertEquals("buffers_full", second.readResponse().header("handoff-error"));

            HeldRequests.answer(inHand);
            assertEquals("/", first.readResponse().text());
            beginUpload(first);
            first.send("x");
            HeldRequests.answer(held.take());
            assertEquals("/", first.readResponse().text());
        }
    }

    @Test
    void theSlowestReaderIsCutWhenAnswersTakeTooMuch() throws IOException, InterruptedException {
        ServerLimits.Builder limits = ServerLimits.builder().bufferedBytes(2 * LARGE_BYTES);
        Handler sized =
                exchange -> {
                    int bytes = Integer.parseInt(exchange.request().target().substring(1));
                    exchange.respond(Response.text(200, "x".repeat(bytes)));
                };
        try (TestServer server = TestServer.start(sized, limits);
                RawClient less = new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
                RawClient more = new RawClient(server.http.port(), SMALL_WINDOW_BYTES)) {
            more.get("/" + 2 * LARGE_BYTES);
            server.listener.await("response /" + 2 * LARGE_BYTES + " 200");
            // Alone it may have more than the limit, which is not meant to be below one answer.
            server.settle();
            assertEquals(1, server.http.connections() - 1);

            less.get("/" + LARGE_BYTES);
            server.listener.await("closed BUFFERS_FULL");
            assertEquals(LARGE_BYTES, less.readResponse().body().sizeBytes());
        }
    }

    @Test
    void answersThatWaitBehindASlowOneCountAsWell() throws IOException, InterruptedException {
        ServerLimits.Builder limits = ServerLimits.builder().bufferedBytes(2 * LARGE_BYTES);
        HeldRequests held = new HeldRequests();
        Response large = Response.text(200, "x".repeat(LARGE_BYTES));
        try (TestServer server = TestServer.start(held, limits);
                RawClient greedy = server.connect();
                RawClient other = new RawClient(server.http.port(), SMALL_WINDOW_BYTES)) {
            greedy.get("/slow").get("/1").get("/2");
            Exchange slow = held.take();
            held.take().respond(large);
            held.take().respond(large);
            other.get("/other");
            held.take().respond(large);

            server.listener.await("closed BUFFERS_FULL");
            assertEquals(LARGE_BYTES, other.readResponse().body().sizeBytes());
            assertTrue(slow.isDone());
        }
    }

    /** All of a request but its last byte. */
    private static void beginUpload(RawClient client) throws IOException {
        client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(BODY_BYTES)
                        + "x".repeat(BODY_BYTES - 1));
    }
}

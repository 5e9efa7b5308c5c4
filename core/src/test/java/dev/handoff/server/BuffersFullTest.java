package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class BuffersFullTest {
    private static final int BODY_BYTES = 100_000;

    /** A parser holds the body that was declared, once most of it has come, and a little more. */
    private static final int SLACK_BYTES = 4 * 1024;

    @Test
    void theUploadThatPassesTheLimitIsAnswered503() throws IOException {
        ServerLimits.Builder limits =
                ServerLimits.builder().bufferedBytes(2 * BODY_BYTES - SLACK_BYTES);
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
                ServerLimits.builder().bufferedBytes(2 * BODY_BYTES + SLACK_BYTES);
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
                ServerLimits.builder().bufferedBytes(2 * BODY_BYTES - SLACK_BYTES);
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

    /** All of a request but its last byte. */
    private static void beginUpload(RawClient client) throws IOException {
        client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(BODY_BYTES)
                        + "x".repeat(BODY_BYTES - 1));
    }
}

package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who has to go when requests fill their half of {@link ServerLimits#bufferedBytes}. */
class SlowUploadsTest {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;

    /** Half is for requests, and an eighth of that, 896 KiB, for small ones alone. */
    private static final ServerLimits LIMITS = ServerLimits.DEFAULT.withBufferedBytes(14 * MIB);

    /** More than all requests may take together. */
    private static final int LARGE_BYTES = 7 * MIB + 512 * KIB;

    private static final int MEDIUM_BYTES = 2 * MIB;
    private static final int SMALL_BYTES = 200 * KIB;

    /** How many of these have room in what is for small ones, which the last of them may pass. */
    private static final int SMALL_ONES = 5;

    private static final int STEP_BYTES = 64 * KIB;
    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final Duration ALMOST_SLOW = SLOW.minusNanos(1);

    private long sentBytes;

    @Test
    void theUploadThatMakesNoHeadwayMakesRoomForAnother() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient slow = server.connect();
                RawClient next = server.connect()) {
            begin(server, slow, "/slow", LARGE_BYTES);
            server.advance(SLOW);

            assertEquals("/next", upload(next, "/next", MEDIUM_BYTES).text());
            expectEvicted(slow);
            server.listener.await("evicted /slow");
        }
    }

    @Test
    void anUploadThatMadeHeadwayWithinASecondKeepsItsPlace() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient busy = server.connect();
                RawClient next = server.connect()) {
            begin(server, busy, "/busy", LARGE_BYTES);
            server.advance(ALMOST_SLOW);

            expectFull(upload(next, "/next", MEDIUM_BYTES));
            busy.send("x");
            assertEquals("/busy", busy.readResponse().text());
        }
    }

    @Test
    void headwayThatCameLateDoesNotMakeAnUploadFast() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient slow = server.connect();
                RawClient next = server.connect()) {
            begin(server, slow, "/slow", LARGE_BYTES, LARGE_BYTES - 2 * STEP_BYTES);
            server.advance(SLOW);
            send(server, slow, STEP_BYTES);

            assertEquals("/next", upload(next, "/next", MEDIUM_BYTES).text());
            expectEvicted(slow);
        }
    }

    @Test
    void nobodyIsEvictedWhileNobodyNeedsTheRoom() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient slow = server.connect();
                RawClient small = server.connect()) {
            begin(server, slow, "/slow", LARGE_BYTES);
            server.advance(SLOW.multipliedBy(20));

            assertEquals("/small", upload(small, "/small", SMALL_BYTES).text());
            slow.send("x");
            assertEquals("/slow", slow.readResponse().text());
        }
    }

    @Test
    void whoHoldsMuchAndIsSlowGoesBeforeWhoHoldsLittle() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient large = server.connect();
                RawClient small = server.connect();
                RawClient next = server.connect()) {
            begin(server, small, "/small", SMALL_BYTES);
            server.advance(SLOW);
            begin(server, large, "/large", LARGE_BYTES);
            server.advance(SLOW);

            assertEquals("/next", upload(next, "/next", MEDIUM_BYTES).text());
            expectEvicted(large);
            small.send("x");
            assertEquals("/small", small.readResponse().text());
        }
    }

    @Test
    void theSlowestGoesThoughItIsTheOneThatSends() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient slow = server.connect();
                RawClient busy = server.connect()) {
            begin(server, slow, "/slow", MEDIUM_BYTES, MEDIUM_BYTES - 2);
            server.advance(SLOW);
            begin(server, busy, "/busy", LARGE_BYTES);

            expectEvicted(slow.send("x"));
            busy.send("x");
            assertEquals("/busy", busy.readResponse().text());
        }
    }

    @Test
    void aLargeHeadThatDoesNotEndMakesRoomAsWell() throws IOException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * 64 * KIB);
        String head = "GET /slow HTTP/1.1\r\nHost: a\r\nx: " + "x".repeat(30 * KIB);
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient one = server.connect();
                RawClient two = server.connect();
                RawClient three = server.connect();
                RawClient next = server.connect()) {
            for (RawClient slow : List.of(one, two)) {
                slow.send(head);
            }
            sentBytes = 2L * head.length();
            awaitReceived(server);
            server.advance(SLOW);
            three.send(head + "\r\n\r\n");
            assertEquals("/slow", three.readResponse().text());

            assertEquals("/next", upload(next, "/next", SMALL_BYTES).text());
        }
    }

    @Test
    void theLastOfTheRoomIsForSmallRequests() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient large = server.connect()) {
            begin(server, large, "/large", LARGE_BYTES);
            List<RawClient> small = new ArrayList<>();
            for (int i = 0; i < SMALL_ONES; i++) {
                RawClient client = server.connect();
                small.add(client);
                begin(server, client, "/small", SMALL_BYTES);
            }
            try (RawClient oneMore = server.connect()) {
                expectFull(upload(oneMore, "/more", SMALL_BYTES));
            }
            for (RawClient client : small) {
                client.send("x");
                assertEquals("/small", client.readResponse().text());
                client.close();
            }
            try (RawClient medium = server.connect()) {
                expectFull(upload(medium, "/medium", MEDIUM_BYTES));
            }
            large.send("x");
            assertEquals("/large", large.readResponse().text());
            assertFalse(server.listener.told().contains("evicted /large"));
        }
    }

    private void begin(TestServer server, RawClient client, String target, int bytes)
            throws IOException {
        begin(server, client, target, bytes, bytes - 1);
    }

    /** Sends the head of an upload and a part of its body, and waits until they have come. */
    private void begin(TestServer server, RawClient client, String target, int bytes, int now)
            throws IOException {
        String head = head(target, bytes);
        client.send(head);
        sentBytes += head.length();
        awaitReceived(server);
        send(server, client, now);
    }

    private void send(TestServer server, RawClient client, int bytes) throws IOException {
        client.send(new byte[bytes]);
        sentBytes += bytes;
        awaitReceived(server);
    }

    private void awaitReceived(TestServer server) {
        server.settleUntil(() -> server.listener.receivedBytes() >= sentBytes);
    }

    private static RawResponse upload(RawClient client, String target, int bytes)
            throws IOException {
        client.send(head(target, bytes)).send(new byte[bytes]);
        return client.readResponse();
    }

    private static String head(String target, int bytes) {
        return "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(target, bytes);
    }

    private static void expectFull(RawResponse response) {
        assertEquals(503, response.status());
        assertEquals("buffers_full", response.header("handoff-error"));
    }

    private static void expectEvicted(RawClient client) throws IOException {
        RawResponse response = client.readResponse();
        assertEquals(503, response.status());
        assertEquals("request_evicted", response.header("handoff-error"));
        assertEquals("1", response.header("retry-after"));
        assertEquals("close", response.header("connection"));
    }
}

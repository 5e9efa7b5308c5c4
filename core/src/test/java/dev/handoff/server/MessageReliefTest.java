package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Who makes room when a message for a WebSocket waits for it, and who does not. */
class MessageReliefTest {
    private static final int LIMIT_BYTES = 16_000_000;

    /** Of the limit, what messages have alone, and what they may have at most. */
    private static final int MESSAGE_PART_BYTES = LIMIT_BYTES / 8;

    private static final int MOST_BYTES = MESSAGE_PART_BYTES + LIMIT_BYTES * 13 / 32;

    /** What the kernel takes of it for a client that reads nothing leaves more than that. */
    private static final int LARGE_BYTES = 20_100_000;

    /** Of a response that leaves messages their share, and no more. */
    private static final int RESPONSE_BYTES = 15_000_000;

    private static final int PIECE_BYTES = 100_000;
    private static final int SMALL_WINDOW_BYTES = 4096;

    /** What is written in front of a message of so many bytes. */
    private static final int FRAME_HEAD_BYTES = 10;

    private static final Duration LOOK = Duration.ofNanos(MessageRelief.LOOK_NANOS);
    private static final Duration STUCK = Duration.ofNanos(MessageRelief.STUCK_NANOS);
    private static final Duration PATIENCE = Duration.ofNanos(MessageRelief.PATIENCE_NANOS);
    private static final Duration STUCK_FOR_RESPONSES = Duration.ofNanos(ClaimRelief.STUCK_NANOS);

    private final ResponseRoom room = new ResponseRoom(LIMIT_BYTES);
    private final ResponseRoom.Share share = room.newShare();
    private final HeldWebSockets sockets = new HeldWebSockets();

    @Test
    void aClientThatTakesNothingGoesAndOneThatReadsStays() throws Exception {
        try (TestServer server = start();
                RawClient stuck = connectSlow(server);
                RawClient reads = server.connect()) {
            WebSocket unread = sockets.open(stuck);
            WebSocket read = sockets.open(reads);
            unread.send(false, large());
            server.settleUntil(() -> room.bytes() > MOST_BYTES);
            server.advance(STUCK.minus(LOOK));
            read.send(false, Body.of(new byte[LARGE_BYTES / 3]));
            reads.read(FRAME_HEAD_BYTES + LARGE_BYTES / 6);
            ResponseRoom.Claim claim = share.claimForMessage(PIECE_BYTES, () -> {});
            server.settle();
            assertFalse(claim.isGranted());
            assertEquals(2, server.http.connections());

            server.advance(LOOK);
            server.advance(LOOK);
            sockets.expectEvent("closed 1006 ");
            server.listener.await("closed BUFFERS_FULL");
            reads.read(LARGE_BYTES / 6);
            server.settleUntil(claim::isGranted);
            server.settleUntil(() -> server.http.connections() == 1);
        }
    }

    @Test
    void oneThatHasBeenStuckForLongGoesAtOnce() throws Exception {
        try (TestServer server = start();
                RawClient stuck = connectSlow(server)) {
            sockets.open(stuck).send(false, large());
            server.settleUntil(() -> room.bytes() > MOST_BYTES);
            server.advance(STUCK);
            ResponseRoom.Claim claim = share.claimForMessage(PIECE_BYTES, () -> {});
            server.settleUntil(claim::isGranted);
            server.listener.await("closed BUFFERS_FULL");
        }
    }

    /** As when each takes 64 KiB now and then: the clock stands between. */
    @Test
    void oneGoesWhenNothingElseMakesRoom() throws Exception {
        try (TestServer server = start();
                RawClient slow = connectSlow(server)) {
            WebSocket socket = sockets.open(slow);
            ResponseRoom.Claim comes = share.claimForMessage(LARGE_BYTES, () -> {});
            ResponseRoom.Claim claim = share.claimForMessage(PIECE_BYTES, () -> {});
            server.advance(PATIENCE);
            socket.send(false, large());
            server.settleUntil(() -> room.bytes() > LARGE_BYTES + MOST_BYTES);
            comes.end();
            server.advance(LOOK);
            server.listener.await("closed BUFFERS_FULL");
            server.settleUntil(claim::isGranted);
        }
    }

    @Test
    void nobodyGoesWhileNoMessageWaits() throws Exception {
        try (TestServer server = start();
                RawClient slow = connectSlow(server)) {
            sockets.open(slow).send(false, large());
            server.settleUntil(() -> room.bytes() > MOST_BYTES);
            server.advance(STUCK.multipliedBy(10));
            slow.read(FRAME_HEAD_BYTES + LARGE_BYTES);
            assertEquals(1, server.http.connections());
        }
    }

    @Test
    void messagesThatNobodyTakesKeepNoResponseOut() throws Exception {
        try (TestServer server = start();
                RawClient stuck = connectSlow(server)) {
            sockets.open(stuck).send(false, large());
            server.settleUntil(() -> room.bytes() > MOST_BYTES);
            assertTrue(share.claim(LIMIT_BYTES / 4, () -> {}).isGranted());
            assertTrue(share.claim(PIECE_BYTES, () -> {}).isGranted());
        }
    }

    @Test
    void responsesThatNobodyTakesKeepNoMessageOut() throws Exception {
        try (TestServer server = start();
                RawClient stuck = connectSlow(server)) {
            stuck.get("/");
            sockets.held.take().respond(Response.of(200, Headers.EMPTY, large()));
            server.settleUntil(() -> room.bytes() > MOST_BYTES);
            assertTrue(share.claimForMessage(MESSAGE_PART_BYTES, () -> {}).isGranted());
        }
    }

    /** Though the response has been there for longer. */
    @Test
    void aWebSocketThatHoldsMoreThanItsShareGoesBeforeAResponse() throws Exception {
        try (TestServer server = start();
                RawClient stuck = connectSlow(server);
                RawClient webSocket = connectSlow(server)) {
            stuck.get("/");
            sockets.held.take().respond(Response.of(200, Headers.EMPTY, pieces(RESPONSE_BYTES)));
            server.settleUntil(() -> room.bytes() > RESPONSE_BYTES / 2);
            server.advance(STUCK);
            sockets.open(webSocket).send(false, large());
            server.settleUntil(() -> room.bytes() > RESPONSE_BYTES / 2 + MOST_BYTES);
            ResponseRoom.Claim claim = share.claim(MESSAGE_PART_BYTES, () -> {});
            assertFalse(claim.isGranted());
            advanceUntil(server, claim::isGranted);
            sockets.expectEvent("closed 1006 ");
            assertEquals(RESPONSE_BYTES, stuck.readResponse().body().sizeBytes());
        }
    }

    /** To close it would make no room for responses. */
    @Test
    void aWebSocketThatHoldsLittleStaysWhenAResponseWaits() throws Exception {
        try (TestServer server = start();
                RawClient webSocket = connectSlow(server);
                RawClient stuck = connectSlow(server)) {
            sockets.open(webSocket).send(false, Body.of(new byte[MESSAGE_PART_BYTES]));
            stuck.get("/");
            sockets.held.take().respond(Response.of(200, Headers.EMPTY, pieces(2 * LARGE_BYTES)));
            server.settleUntil(() -> room.bytes() > LIMIT_BYTES);
            ResponseRoom.Claim claim = share.claim(LIMIT_BYTES / 2, () -> {});
            advanceUntil(server, claim::isGranted);
            server.settleUntil(() -> server.http.connections() == 1);
            webSocket.read(FRAME_HEAD_BYTES + MESSAGE_PART_BYTES);
        }
    }

    /** The kernel may take some more when it likes; then its client is not stuck yet. */
    private static void advanceUntil(TestServer server, BooleanSupplier condition) {
        for (int i = 0; i < 100 && !condition.getAsBoolean(); i++) {
            server.advance(STUCK_FOR_RESPONSES);
        }
        assertTrue(condition.getAsBoolean());
    }

    private static Body large() {
        return pieces(LARGE_BYTES);
    }

    private static Body pieces(int bytes) {
        return Body.ofPieces(Collections.nCopies(bytes / PIECE_BYTES, new byte[PIECE_BYTES]));
    }

    private RawClient connectSlow(TestServer server) throws IOException {
        return new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
    }

    private TestServer start() throws IOException {
        return TestServer.start(
                ServerOptions.of(sockets)
                        .withLimits(ServerLimits.DEFAULT.withBufferedBytes(2 * LIMIT_BYTES))
                        .withResponseRoom(room));
    }
}

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who makes room when a response that comes waits for it. */
class ClaimReliefTest {
    private static final int LIMIT_BYTES = 1_000_000;

    /** More than the kernel takes for a client that reads nothing. */
    private static final int LARGE_BYTES = 10_000_000;

    private static final int LARGE_CLAIM_BYTES = 100_000;
    private static final int PIECE_BYTES = 100_000;

    private static final int SMALL_WINDOW_BYTES = 4096;
    private static final Duration LOOK = Duration.ofNanos(ClaimRelief.LOOK_NANOS);
    private static final Duration STUCK = Duration.ofNanos(ClaimRelief.STUCK_NANOS);

    private final ResponseRoom room = new ResponseRoom(LIMIT_BYTES);
    private final ResponseRoom.Share share = room.newShare();

    @Test
    void aClientThatMakesNoHeadwayGoesWhenAResponseWaits() throws Exception {
        try (TestServer server = start();
                RawClient stuck = connectSlow(server)) {
            stuck.get("/" + LARGE_BYTES);
            server.listener.await("response /" + LARGE_BYTES + " 200");
            server.settleUntil(() -> room.bytes() > LIMIT_BYTES);
            ResponseRoom.Claim claim = share.claim(LARGE_CLAIM_BYTES, () -> {});
            server.advance(STUCK.minus(LOOK));
            assertFalse(claim.isGranted());

            server.advance(LOOK);
            server.advance(LOOK);
            server.listener.await("closed BUFFERS_FULL");
            assertTrue(claim.isGranted());
            assertEquals(LARGE_CLAIM_BYTES, room.bytes());
        }
    }

    @Test
    void aClientThatReadsGoesOnAndMakesRoomAsItDoes() throws IOException {
        try (TestServer server = start();
                RawClient client = server.connect()) {
            client.get("/" + LARGE_BYTES);
            server.settleUntil(() -> room.bytes() > LIMIT_BYTES);
            ResponseRoom.Claim claim = share.claim(LARGE_CLAIM_BYTES, () -> {});
            assertFalse(claim.isGranted());
            assertEquals(LARGE_BYTES, client.readResponse().body().sizeBytes());
            server.settle();
            assertTrue(claim.isGranted());
        }
    }

    @Test
    void nobodyGoesWhileNoResponseWaits() throws Exception {
        try (TestServer server = start();
                RawClient slow = connectSlow(server)) {
            slow.get("/" + LARGE_BYTES);
            server.listener.await("response /" + LARGE_BYTES + " 200");
            server.advance(STUCK.multipliedBy(10));
            assertEquals(LARGE_BYTES, slow.readResponse().body().sizeBytes());
        }
    }

    /** A piece is let go of when it is taken, long before the whole response is. */
    @Test
    void whatAClientHasTakenCountsNoMore() throws Exception {
        try (TestServer server = start();
                RawClient slow = connectSlow(server)) {
            slow.get("/" + LARGE_BYTES);
            server.settleUntil(() -> room.bytes() > LIMIT_BYTES);
            long before = room.bytes();
            slow.read(LARGE_BYTES / 2);
            server.settleUntil(() -> room.bytes() < before - LARGE_BYTES / 4);
        }
    }

    /** A client may have several responses made at once, and reads one after the other. */
    @Test
    void whatWaitsBehindAnotherResponseLeavesThePartForModestOnes() throws Exception {
        HeldRequests held = new HeldRequests();
        List<RawClient> clients = new ArrayList<>();
        int waitingBytes = 2 * room.modestBytes() - 1000;
        try (TestServer server = start(held)) {
            for (int i = 0; i < 6; i++) {
                clients.add(server.connect().get("/first").get("/second"));
                Exchange second = held.take(2).get(1);
                second.stream(ofBytes(waitingBytes), consumed -> {});
            }
            server.settleUntil(() -> room.bytes() >= 6L * waitingBytes);
            room.add(LIMIT_BYTES, 0, 0);
            ResponseRoom.Claim modest = share.claim(room.modestBytes(), () -> {});
            assertTrue(modest.isGranted());
            modest.end();
            room.add(-LIMIT_BYTES, 0, 0);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** From the handler's thread to the loop, and from there to the socket. */
    @Test
    void whatIsOnItsWayCountsWithoutAGap() throws Exception {
        HeldRequests held = new HeldRequests();
        CountDownLatch loopMayGoOn = new CountDownLatch(1);
        try (TestServer server = start(held);
                RawClient slow = connectSlow(server)) {
            slow.get("/");
            Exchange exchange = held.take();
            server.loops.get(0).execute(() -> awaitUninterrupted(loopMayGoOn));
            exchange.respond(inPieces(LARGE_BYTES));
            ResponseRoom.Claim claim = share.claim(LARGE_CLAIM_BYTES, () -> {});
            assertFalse(claim.isGranted());
            loopMayGoOn.countDown();
            server.settle();
            assertFalse(claim.isGranted());
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private RawClient connectSlow(TestServer server) throws IOException {
        return new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
    }

    private TestServer start() throws IOException {
        return start(ClaimReliefTest::answerInPieces);
    }

    private TestServer start(Handler handler) throws IOException {
        return TestServer.start(
                ServerOptions.of(handler)
                        .withLimits(ServerLimits.DEFAULT.withBufferedBytes(2 * LIMIT_BYTES))
                        .withResponseRoom(room));
    }

    private static void answerInPieces(Exchange exchange) {
        exchange.respond(inPieces(Integer.parseInt(exchange.request().target().substring(1))));
    }

    private static Response ofBytes(int bytes) {
        return Response.of(200, Headers.EMPTY, Body.of(new byte[bytes]));
    }

    private static Response inPieces(int bytes) {
        List<byte[]> pieces =
                IntStream.range(0, bytes / PIECE_BYTES)
                        .mapToObj(i -> new byte[PIECE_BYTES])
                        .toList();
        return Response.of(200, Headers.EMPTY, Body.ofPieces(pieces));
    }
}

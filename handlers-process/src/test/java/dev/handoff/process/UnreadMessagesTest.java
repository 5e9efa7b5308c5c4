package dev.handoff.process;

import static dev.handoff.process.WebSocketPool.binary;
import static dev.handoff.process.WebSocketPool.open;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.SlowClients;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that clients do not take, and what others get meanwhile. */
final class UnreadMessagesTest {
    private static final int LIMIT_BYTES = 16_000_000;

    /** What the kernel takes of it for a client that reads nothing leaves all messages no room. */
    private static final int LARGE_BYTES = 20_000_000;

    /** More than one read takes; a socket that holds the rest still takes output. */
    private static final int BYTES = 70_000;

    private static final int FRAME_HEAD_BYTES = 10;
    private static final int SMALL_WINDOW_BYTES = 4096;
    private static final Duration STUCK = Duration.ofMillis(100);
    private static final Duration LOOK = Duration.ofMillis(25);
    private static final Duration STANDSTILL = Duration.ofMillis(250);

    /** Ten of these are all that messages may keep a worker from others. */
    private static final Duration WAIT = Duration.ofMillis(200);

    /** In this time it regains that. */
    private static final Duration A_WHILE = Duration.ofSeconds(6);

    private final ResponseRoom room = new ResponseRoom(LIMIT_BYTES);
    private WebSocketPool sockets;

    @BeforeEach
    void start() throws IOException {
        sockets = WebSocketPool.start(room);
    }

    @AfterEach
    void stop() throws IOException {
        sockets.close();
    }

    /** As in a room whose members get the same: those that take nothing go, one by one. */
    @Test
    void theMemberThatReadsGetsAllMessages() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient reads = sockets.ask()) {
            long reader = open(worker, reads);
            for (int i = 0; i < 3; i++) {
                try (RawClient stuck = sockets.ask(SMALL_WINDOW_BYTES)) {
                    long id = open(worker, stuck);
                    worker.send(binary(id, new byte[LARGE_BYTES]));
                    sockets.pool.loops.awaitIdle();
                    worker.send(binary(reader, new byte[BYTES]));
                    sockets.pool.await(snapshot -> room.waiting() == 1);
                    sockets.pool.advance(STUCK);
                    sockets.pool.advance(LOOK);
                    assertEquals(
                            new Message.Close(id, 1006, ""), worker.expect(Message.Close.class));
                    worker.send(new Message.Close(id, 0, ""));
                    reads.read(FRAME_HEAD_BYTES + BYTES);
                    assertEquals(reader, worker.expect(Message.Credit.class).id());
                }
            }
        }
    }

    /** The worker's socket has one after the other. */
    @Test
    void aResponseBehindAMessageWithoutRoomIsServed() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.opened(worker)) {
            TestExchange exchange = sockets.pool.get("/");
            Message.Request request = worker.request();
            SlowClients.holdMessages(room, 10 * LIMIT_BYTES);
            worker.send(binary(request.id() - 1, new byte[BYTES]));
            worker.send(
                    new Message.Response(
                            request.id(),
                            Response.of(200, Headers.EMPTY, Body.of(new byte[BYTES]))));
            sockets.pool.await(snapshot -> room.waiting() == 1);
            sockets.pool.advance(STANDSTILL);
            assertEquals(BYTES, exchange.response().body().sizeBytes());
            WebSocketPool.expect(client, "\u0088\u0010\u0003\u00f5responses_full");
            SlowClients.holdMessages(room, -10 * LIMIT_BYTES);
        }
    }

    /** Each may get room soon: their worker would be held back for most of the time. */
    @Test
    void messagesThatWaitOneAfterTheOtherLeaveTheirWorkerTime() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient idle = sockets.ask()) {
            open(worker, idle);
            try (RawClient reads = sockets.ask()) {
                long id = open(worker, reads);
                for (int i = 0; i < 9; i++) {
                    assertWaits(worker, id, reads);
                }
                assertDroppedAfter(WAIT, worker);
                assertDroppedAfter(Duration.ZERO, worker);
                sockets.pool.advance(A_WHILE);
                assertWaits(worker, id, reads);
            }
        }
    }

    private void assertDroppedAfter(Duration time, TestWorker worker) throws IOException {
        try (RawClient client = sockets.ask()) {
            long id = open(worker, client);
            SlowClients.holdMessages(room, 10 * LIMIT_BYTES);
            worker.send(binary(id, new byte[BYTES]));
            if (time.isPositive()) {
                sockets.pool.await(snapshot -> room.waiting() == 1);
                sockets.pool.advance(time);
            }
            worker.expect(Message.Close.class);
            worker.send(new Message.Close(id, 0, ""));
            WebSocketPool.expect(client, "\u0088\u0010\u0003\u00f5responses_full");
            SlowClients.holdMessages(room, -10 * LIMIT_BYTES);
            room.newShare().claimForMessage(1, () -> {}).end();
        }
    }

    private void assertWaits(TestWorker worker, long id, RawClient client) throws IOException {
        SlowClients.holdMessages(room, 10 * LIMIT_BYTES);
        worker.send(binary(id, new byte[BYTES]));
        sockets.pool.await(snapshot -> room.waiting() == 1);
        sockets.pool.advance(WAIT);
        assertEquals(1, room.waiting());
        SlowClients.holdMessages(room, -10 * LIMIT_BYTES);
        client.read(FRAME_HEAD_BYTES + BYTES);
        assertEquals(id, worker.expect(Message.Credit.class).id());
    }

    @Test
    void aMessageIsReadWhileResponsesHaveNoRoom() throws IOException {
        SlowClients.hold(room, 10 * LIMIT_BYTES);
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            for (int i = 0; i < 3; i++) {
                worker.send(binary(id, new byte[BYTES]));
                client.read(FRAME_HEAD_BYTES + BYTES);
                worker.expect(Message.Credit.class);
            }
        }
        SlowClients.hold(room, -10 * LIMIT_BYTES);
    }
}

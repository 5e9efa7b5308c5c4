package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.ResponseRoom;
import java.io.IOException;

/**
 * A pool whose workers send large responses, and the room for these, which a test may fill. When it
 * is closed, nobody may have room, or wait for it, any more.
 */
final class LargeResponses implements AutoCloseable {
    static final int LIMIT_BYTES = 1_000_000;

    /** More than one read takes, less than the kernel. */
    static final int LARGE_BYTES = 100_000;

    static final int READ_BYTES = 64 * 1024;

    final ResponseRoom room = new ResponseRoom(LIMIT_BYTES);
    final ResponseRoom.Share share = room.newShare();
    final TestPool pool;

    LargeResponses() throws IOException {
        pool = TestPool.start(room);
    }

    @Override
    public void close() throws IOException {
        pool.close();
        assertEquals(0, room.bytes());
        assertEquals(0, room.waiting());
    }

    /** Others hold all the room there is, until the claim ends. */
    ResponseRoom.Claim fillRoom() {
        return share.claim(LIMIT_BYTES, () -> {});
    }

    static void sendLarge(TestWorker worker) throws IOException {
        worker.send(large(worker.request()));
    }

    void sendWithoutRoom(TestWorker worker) throws IOException {
        sendLarge(worker);
        pool.await(snapshot -> room.waiting() == 1);
    }

    /** The response to the next request of the worker. */
    static byte[] responseFrame(TestWorker worker, int bytes) throws IOException {
        return new FrameEncoder().encode(response(worker.request(), bytes));
    }

    static void assertLarge(TestExchange answered) {
        assertEquals(LARGE_BYTES, answered.response().body().sizeBytes());
    }

    static Message.Response large(Message.Request request) {
        return response(request, LARGE_BYTES);
    }

    static Message.Response response(Message.Request request, int bytes) {
        return new Message.Response(
                request.id(), Response.of(200, Headers.EMPTY, Body.of(new byte[bytes])));
    }
}

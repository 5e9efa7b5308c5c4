package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.server.Failure;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.StreamEnd;

/**
 * A response that a worker sends in pieces: how much more of it may come. Belongs to the thread of
 * the pool's loop.
 */
final class WorkerStream implements BegunResponse {
    private final ResponseStream client;
    private final long begunNanos;
    private long creditBytes = ResponseStream.FIRST_ROOM_BYTES;
    private long cameBytes;

    /**
     * @param client who gets the pieces
     * @param firstBytes what came with the head
     */
    WorkerStream(ResponseStream client, int firstBytes, long nowNanos) {
        this.client = client;
        this.begunNanos = nowNanos;
        count(firstBytes);
    }

    @Override
    public long begunNanos() {
        return begunNanos;
    }

    @Override
    public long cameBytes() {
        return cameBytes;
    }

    /** Passes a piece on; returns false, and does not, if there is no credit for it. */
    boolean write(Body piece) {
        if (creditBytes <= 0 && !piece.isEmpty()) {
            return false;
        }
        count(piece.sizeBytes());
        client.write(piece);
        return true;
    }

    @Override
    public void grant(long bytes) {
        creditBytes += bytes;
    }

    /** All of it has come. */
    void end() {
        client.end();
    }

    @Override
    public void fail(Failure failure, StreamEnd why) {
        client.fail(failure, why);
    }

    private void count(int bytes) {
        creditBytes -= bytes;
        cameBytes += bytes;
    }
}

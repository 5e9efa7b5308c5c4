package dev.handoff.process.dispatch;

import dev.handoff.server.Failure;
import dev.handoff.server.StreamEnd;

/**
 * A response that has begun and is not over: one in pieces, or a WebSocket. Belongs to the thread
 * of the pool's loop.
 */
sealed interface BegunResponse permits WorkerStream, WorkerWebSocket {
    /** When its head came. */
    long begunNanos();

    /** How many bytes of it have come. */
    long cameBytes();

    /** Lets the worker send this many more bytes. */
    void grant(long bytes);

    /** Tells the client that the rest will not come. */
    void fail(Failure failure, StreamEnd why);
}

package dev.handoff.process.dispatch;

import dev.handoff.server.Failure;
import dev.handoff.server.StreamEnd;

/** A response that has begun and goes on. Belongs to the thread of the pool's loop. */
sealed interface BegunResponse permits WorkerStream, WorkerWebSocket {
    /** When its head was here. */
    long begunNanos();

    /** The bytes that have come of it. */
    long cameBytes();

    /** So much more may come. */
    void grant(long bytes);

    /** The rest will not come. */
    void fail(Failure failure, StreamEnd why);
}

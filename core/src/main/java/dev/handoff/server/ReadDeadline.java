package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import java.util.concurrent.TimeUnit;

/**
 * How long a connection may stay in its state while nothing, or too little, is read. Belongs to the
 * loop's thread.
 */
final class ReadDeadline {
    /** A body's deadline moves on each time this much of it has come. */
    private static final int BODY_PROGRESS_BYTES = 64 * 1024;

    /** How long a client may take to close after the last answer. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long a draining server waits for a last request on an idle connection. */
    private static final long DRAIN_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final ServerLimits limits;
    private final MovingDeadline deadline;
    private boolean draining;
    private int bodyProgressBytes;

    ReadDeadline(EventLoop loop, ServerLimits limits, Runnable action) {
        this.loop = loop;
        this.limits = limits;
        this.deadline = new MovingDeadline(loop, action);
    }

    void entered(Connection.State state) {
        switch (state) {
            case IDLE -> setAfter(draining ? DRAIN_IDLE_NANOS : limits.idle().toNanos());
            case READING_HEAD -> setAfter(limits.headerRead().toNanos());
            case READING_BODY -> restartBody();
            case ANSWERING, FINISHING -> deadline.clear();
            case LINGERING -> setAfter(LINGER_NANOS);
            case CLOSED -> deadline.cancel();
        }
    }

    /** Bytes came while the connection was reading a body. */
    void bodyCame(int count) {
        bodyProgressBytes += count;
        if (bodyProgressBytes >= BODY_PROGRESS_BYTES) {
            restartBody();
        }
    }

    void restartBody() {
        bodyProgressBytes = 0;
        setAfter(limits.bodyRead().toNanos());
    }

    /** From now on idle connections have little time. */
    void drain(Connection.State state) {
        draining = true;
        if (state == Connection.State.IDLE) {
            entered(state);
        }
    }

    private void setAfter(long nanos) {
        deadline.set(loop.nanoTime() + nanos);
    }
}

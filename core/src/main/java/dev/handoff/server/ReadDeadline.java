package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.StreamSocket;
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
    private final RequestInput input;
    private final StreamSocket socket;
    private final Runnable action;
    private final MovingDeadline deadline;
    private ConnectionState state = ConnectionState.IDLE;
    private boolean draining;
    private int bodyProgressBytes;

    /**
     * @param action runs when the client is late
     */
    ReadDeadline(
            EventLoop loop,
            ServerLimits limits,
            RequestInput input,
            StreamSocket socket,
            Runnable action) {
        this.loop = loop;
        this.limits = limits;
        this.input = input;
        this.socket = socket;
        this.action = action;
        this.deadline = new MovingDeadline(loop, this::passed);
    }

    void entered(ConnectionState next) {
        state = next;
        switch (next) {
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
    void drain() {
        draining = true;
        if (state == ConnectionState.IDLE) {
            entered(state);
        }
    }

    private void passed() {
        if (isTheirTurn()) {
            action.run();
        } else {
            entered(state);
        }
    }

    /**
     * A client that still takes its answer is neither idle nor done: the write stall watches it.
     * And a body that waits for our 100 (Continue) is not late.
     */
    private boolean isTheirTurn() {
        return switch (state) {
            case IDLE, LINGERING -> socket.pendingBytes() == 0;
            case READING_BODY -> !input.awaitsContinue();
            case READING_HEAD, ANSWERING, FINISHING, CLOSED -> true;
        };
    }

    private void setAfter(long nanos) {
        deadline.set(loop.nanoTime() + nanos);
    }
}

package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import dev.handoff.loop.StreamSocket;
import java.util.concurrent.TimeUnit;

/**
 * Limits how long a connection may stay in its state while nothing, or too little, is read. Belongs
 * to the loop's thread.
 */
final class ReadDeadline {
    /**
     * The first bytes of a body, up to this many, only need to come by 64 KiB in each body timeout.
     * From there on there is a least rate.
     */
    private static final int UNHURRIED_BYTES = 1024 * 1024;

    /** How long a client may take to close after the last response. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * How long what a client has sent ahead may keep a connection from being read. As long nobody
     * sees whether the client has left.
     */
    static final long AHEAD_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long a draining server waits for a last request on an idle connection. */
    private static final long DRAIN_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final ServerLimits limits;
    private final RequestInput input;
    private final StreamSocket socket;
    private final Runnable action;
    private final MovingDeadline deadline;
    private final ReadPace pace;
    private final long hurriedBytes;
    private ConnectionState state = ConnectionState.IDLE;
    private boolean draining;

    /** Whether the connection is not read. */
    private boolean standsStill;

    /** When the client is late, if it is not set anew. */
    private long endNanos;

    /** The time that a body has left from when the connection is read again. */
    private long leftNanos;

    /** Whether the client was in its TLS handshake when the deadline was set. */
    private boolean handshaking;

    /** The bytes of the body that came since its deadline moved. */
    private long progressBytes;

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
        this.pace = new ReadPace(loop::nanoTime);
        this.hurriedBytes = hurriedBytes(limits);
    }

    void entered(ConnectionState next) {
        state = next;
        handshaking = socket.isHandshaking();
        switch (next) {
            case IDLE -> setAfter(draining ? DRAIN_IDLE_NANOS : limits.idleTimeout().toNanos());
            case READING_HEAD -> {
                pace.begin();
                setAfter(limits.headerTimeout().toNanos());
            }
            case READING_BODY -> {
                pace.begin();
                deadline.clear();
                restartBody();
            }
            case ANSWERING -> restartAhead();
            case FINISHING, WEBSOCKET -> deadline.clear();
            case LINGERING -> setAfter(LINGER_NANOS);
            case CLOSED -> deadline.cancel();
        }
    }

    /** Bytes came while the connection was reading a body; returns whether that is headway. */
    boolean bodyCame(int count) {
        progressBytes += count;
        boolean headway = pace.bodyCame(count);
        if (progressBytes >= leastProgressBytes()) {
            restartBody();
        }
        return headway;
    }

    /**
     * The connection is not read any more: a body's time stands still. Its {@linkplain
     * #slownessNanos slowness} does not: it holds memory, which others may need. What is sent ahead
     * has a time of its own.
     */
    void standStill() {
        standsStill = true;
        if (state == ConnectionState.READING_BODY) {
            leftNanos = endNanos - loop.nanoTime();
            deadline.clear();
        } else if (state == ConnectionState.ANSWERING) {
            restartAhead();
        }
    }

    boolean standsStill() {
        return standsStill;
    }

    /** The connection is read again: its client has the time that was left. */
    void goOn() {
        standsStill = false;
        if (state == ConnectionState.READING_BODY) {
            setAfter(leftNanos);
        } else if (state == ConnectionState.ANSWERING) {
            restartAhead();
        }
    }

    /** A request has begun, or may begin: what is behind it has the whole time. */
    void restartAhead() {
        if (standsStill) {
            setAfter(AHEAD_NANOS);
        } else {
            deadline.clear();
        }
    }

    void restartBody() {
        progressBytes = 0;
        leftNanos = limits.bodyTimeout().toNanos();
        if (!standsStill) {
            setAfter(leftNanos);
        }
    }

    /** How long the client takes for each 64 KiB of the request that it is sending; else 0. */
    long slownessNanos() {
        return switch (state) {
            case READING_HEAD -> pace.slownessNanos();
            case READING_BODY -> input.awaitsContinue() ? 0 : pace.slownessNanos();
            case IDLE, ANSWERING, FINISHING, WEBSOCKET, LINGERING, CLOSED -> 0;
        };
    }

    /** Gives an idle connection little time from now on. */
    void drain() {
        draining = true;
        if (state == ConnectionState.IDLE) {
            entered(state);
        }
    }

    private void passed() {
        if (isClientsTurn()) {
            action.run();
        } else if (state == ConnectionState.READING_BODY) {
            restartBody();
        } else {
            entered(state);
        }
    }

    /**
     * Whether the connection waits for its client. A client that still takes its response is
     * neither idle nor done: the write timeout watches it. Nor is one in its handshake, which has a
     * limit of its own: it gets the whole time for its request afterwards. And a body that waits
     * for our 100 (Continue), or for our disk, is not late.
     */
    private boolean isClientsTurn() {
        return switch (state) {
            case IDLE -> !handshaking && !socket.isHandshaking() && socket.pendingBytes() == 0;
            case LINGERING -> socket.pendingBytes() == 0;
            case READING_BODY -> !input.awaitsContinue() && !input.isAheadOfStore();
            case READING_HEAD, ANSWERING, FINISHING, WEBSOCKET, CLOSED -> true;
        };
    }

    /** A body's deadline moves on each time this much of it has come. */
    private long leastProgressBytes() {
        return pace.bodyBytes() > UNHURRIED_BYTES ? hurriedBytes : ReadPace.STEP_BYTES;
    }

    private static long hurriedBytes(ServerLimits limits) {
        double seconds = limits.bodyTimeout().toMillis() / 1000.0;
        return Math.max(ReadPace.STEP_BYTES, (long) ((double) limits.minBodyRate() * seconds));
    }

    private void setAfter(long nanos) {
        endNanos = loop.nanoTime() + nanos;
        deadline.set(endNanos);
    }
}

package dev.handoff.process.dispatch;

import dev.handoff.server.Failure;
import java.util.Locale;

/**
 * Why a request got no worker. The client gets a 503. If a limit is the reason, the client is told
 * the option that sets it, so that the operator finds it.
 */
public enum Rejection {
    /** Beyond {@link PoolLimits#queueRequests}. */
    QUEUE_FULL("All workers are busy and the queue is full (--queue-requests)."),
    /** Beyond {@link PoolLimits#queueBytes}. */
    QUEUE_BYTES("All workers are busy and the queue has no memory left (--queue-bytes)."),
    /** Beyond {@link PoolLimits#queueTimeout}. */
    QUEUE_TIMEOUT("No worker was free in time (--queue-timeout)."),
    /** Beyond {@link PoolLimits#noWorkerGrace}. */
    NO_WORKER("No worker is connected (--no-worker-grace)."),
    DRAINING("The server is shutting down.");

    private static final int RETRY_AFTER_SECONDS = 1;

    private final String code;
    private final String message;

    Rejection(String message) {
        this.code = name().toLowerCase(Locale.ROOT);
        this.message = message;
    }

    /** The value of Handoff-Error, in snake_case. */
    public String code() {
        return code;
    }

    Failure failure() {
        return new Failure(503, code, message, RETRY_AFTER_SECONDS);
    }
}

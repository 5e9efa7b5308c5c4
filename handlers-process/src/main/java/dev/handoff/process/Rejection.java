package dev.handoff.process;

import dev.handoff.server.Failure;
import java.util.Locale;

/** Why a request got no worker, which is a 503. */
public enum Rejection {
    QUEUE_FULL("All workers are busy and the queue is full."),
    QUEUE_TIMEOUT("No worker was free in time."),
    NO_WORKER("No worker is connected."),
    DRAINING("The server is shutting down.");

    private static final int RETRY_AFTER_SECONDS = 1;

    private final String code;
    private final String message;

    Rejection(String message) {
        this.code = name().toLowerCase(Locale.ROOT);
        this.message = message;
    }

    /** In snake_case: what the client is told in Handoff-Error. */
    public String code() {
        return code;
    }

    Failure failure() {
        return new Failure(503, code, message, RETRY_AFTER_SECONDS);
    }
}

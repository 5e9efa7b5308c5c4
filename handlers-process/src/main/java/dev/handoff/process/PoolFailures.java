package dev.handoff.process;

import dev.handoff.server.Failure;

/** What a client is told when a pool could not get its request answered. */
final class PoolFailures {
    private static final int RETRY_AFTER_SECONDS = 1;

    static final Failure QUEUE_FULL =
            overloaded("queue_full", "All workers are busy and the queue is full.");
    static final Failure QUEUE_TIMEOUT = overloaded("queue_timeout", "No worker was free in time.");
    static final Failure NO_WORKER = overloaded("no_worker", "No worker is connected.");
    static final Failure DRAINING = overloaded("draining", "The server is shutting down.");
    static final Failure WORKER_LOST =
            new Failure(502, "worker_lost", "The worker went away before it answered.", 0);
    static final Failure HANDLER_FAILED =
            new Failure(500, "handler_failed", "The handler failed.", 0);

    private PoolFailures() {}

    private static Failure overloaded(String code, String message) {
        return new Failure(503, code, message, RETRY_AFTER_SECONDS);
    }
}

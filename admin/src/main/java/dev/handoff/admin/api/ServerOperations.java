package dev.handoff.admin.api;

import java.util.concurrent.CompletableFuture;

/** What an operator can do to the whole server. Any thread; returns at once. */
public interface ServerOperations {
    /**
     * Begins to end the server as SIGTERM does.
     *
     * @return false if it is ending already
     */
    boolean drain();

    /**
     * Reads the configuration anew and replaces the workers as SIGHUP does.
     *
     * @return completes when the new workers serve, or when it is given up
     */
    CompletableFuture<ReloadOutcome> reload();

    /** What is in effect, as JSON, without secrets. */
    String configuration();
}

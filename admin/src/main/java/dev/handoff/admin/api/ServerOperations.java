package dev.handoff.admin.api;

import java.util.concurrent.CompletableFuture;

/** What an operator can have the whole server do. Any thread; returns at once. */
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
     * @return completes when the server serves as the configuration says, with an empty string; or
     *     with why it goes on as before
     */
    CompletableFuture<String> reload();

    /** What is in effect, as JSON, without secrets. */
    String configuration();
}

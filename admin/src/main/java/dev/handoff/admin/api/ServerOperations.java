package dev.handoff.admin.api;

import java.util.concurrent.CompletableFuture;

/** The operations on the whole server. May be called from any thread; return at once. */
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

    /** The configuration in effect, as JSON, without secrets. */
    String configuration();
}

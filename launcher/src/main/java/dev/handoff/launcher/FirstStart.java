package dev.handoff.launcher;

import dev.handoff.process.PoolListener;
import dev.handoff.process.supervise.WorkerError;
import java.util.concurrent.CompletableFuture;

/**
 * Listens for a pool whose workers cannot start, and decides whether that ends the server. It does
 * not where there may be other pools, or where a developer may mend the handler while the server
 * waits. Called on a pool's loop.
 */
final class FirstStart implements PoolListener {
    private final boolean endsServer;
    private final CompletableFuture<WorkerError> failed = new CompletableFuture<>();

    FirstStart(boolean endsServer) {
        this.endsServer = endsServer;
    }

    boolean endsServer() {
        return endsServer;
    }

    @Override
    public void onFirstStartFailed(WorkerError error) {
        if (endsServer) {
            failed.complete(error);
        }
    }

    /** Completes when the server has to end because no worker can start. */
    CompletableFuture<WorkerError> failed() {
        return failed;
    }
}

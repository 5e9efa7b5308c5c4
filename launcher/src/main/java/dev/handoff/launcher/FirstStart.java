package dev.handoff.launcher;

import dev.handoff.process.PoolListener;
import dev.handoff.process.supervise.WorkerError;
import java.util.concurrent.CompletableFuture;

/**
 * Hears that no worker can start, and whether that ends the server: it does unless there are other
 * pools, or somebody sits before it who may mend it. Told on a pool's loop.
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

    /** Completes when the server shall end for it. */
    CompletableFuture<WorkerError> failed() {
        return failed;
    }
}

package dev.handoff.process.supervise;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One change of the number of a pool's processes, until each of them takes requests or is gone.
 * Belongs to the pool's loop.
 */
final class Scaling {
    private final CompletableFuture<PoolChange> done = new CompletableFuture<>();
    private final Set<WorkerSlot> awaited;
    private final int count;

    /**
     * @param changed those that were added, or those that have to end
     */
    Scaling(List<WorkerSlot> changed) {
        awaited = new HashSet<>(changed);
        count = changed.size();
        completeIfAllReached();
    }

    CompletableFuture<PoolChange> done() {
        return done;
    }

    boolean isDone() {
        return done.isDone();
    }

    /** It takes requests, or has ended. */
    void reached(WorkerSlot slot) {
        awaited.remove(slot);
        completeIfAllReached();
    }

    void failed(WorkerSlot slot, WorkerError error) {
        if (awaited.contains(slot)) {
            done.complete(new PoolChange.Failed(count - awaited.size(), error));
        }
    }

    private void completeIfAllReached() {
        if (awaited.isEmpty()) {
            done.complete(new PoolChange.Done(count));
        }
    }
}

package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Carries out what operators ask of a pool, or says why not: the contracts are with the methods of
 * {@link WorkerPool} that bear the same names. May be asked from any thread; looks at the pool on
 * its loop.
 */
final class PoolChanges {
    private final WorkerPool pool;
    private final EventLoop loop;
    private final ConnectedWorkers workers;

    PoolChanges(WorkerPool pool, EventLoop loop, ConnectedWorkers workers) {
        this.pool = pool;
        this.loop = loop;
        this.workers = workers;
    }

    CompletableFuture<PoolChange> reload() {
        return change(Supervisor::reload);
    }

    CompletableFuture<PoolChange> scale(int count) {
        if (count < 1 || count > WorkerPool.MOST_PROCESSES) {
            return told(
                    new PoolChange.Refused(
                            "a pool has 1 to " + WorkerPool.MOST_PROCESSES + " processes"));
        }
        return change(processes -> processes.scale(count));
    }

    CompletableFuture<PoolChange> drainWorker(String id) {
        return onLoop(() -> {
            Supervisor supervisor = pool.supervisor();
            WorkerSlot slot = supervisor == null ? null : supervisor.find(id);
            WorkerConnection worker = workers.find(id);
            if (worker == null) {
                return told(slot == null ? new PoolChange.Unknown() : notConnected(id));
            }
            if (pool.isDraining() || worker.isDraining()) {
                return told(new PoolChange.Refused(id + " is draining already"));
            }
            if (slot != null && supervisor != null) {
                return supervisor.drain(slot);
            }
            worker.drain();
            return worker.left().thenApply(gone -> new PoolChange.Done(1));
        });
    }

    CompletableFuture<PoolChange> killWorker(String id) {
        return onLoop(() -> {
            Supervisor supervisor = pool.supervisor();
            WorkerSlot slot = supervisor == null ? null : supervisor.find(id);
            WorkerConnection worker = workers.find(id);
            if (slot != null) {
                return told(slot.killOnDemand() ? new PoolChange.Done(1) : notConnected(id));
            }
            if (worker == null) {
                return told(new PoolChange.Unknown());
            }
            worker.close(LeaveReason.KILLED);
            return told(new PoolChange.Done(1));
        });
    }

    private CompletableFuture<PoolChange> change(
            Function<Supervisor, CompletableFuture<PoolChange>> operation) {
        return onLoop(() -> {
            Supervisor supervisor = pool.supervisor();
            if (pool.isDraining()) {
                return told(new PoolChange.Refused("the pool is draining"));
            }
            if (supervisor == null) {
                return told(
                        new PoolChange.Refused("the workers of this pool are started elsewhere"));
            }
            return operation.apply(supervisor);
        });
    }

    private CompletableFuture<PoolChange> onLoop(Supplier<CompletableFuture<PoolChange>> change) {
        CompletableFuture<PoolChange> outcome = new CompletableFuture<>();
        Runnable task =
                () -> {
                    try {
                        var _ = change.get().thenAccept(outcome::complete);
                    } catch (RuntimeException bug) {
                        outcome.completeExceptionally(bug);
                        throw bug;
                    }
                };
        if (!loop.tryExecute(task)) {
            outcome.completeExceptionally(
                    new IllegalStateException("the event loop of the pool has stopped"));
        }
        return outcome;
    }

    private static CompletableFuture<PoolChange> told(PoolChange outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    private static PoolChange notConnected(String id) {
        return new PoolChange.Refused(id + " has no process at the moment");
    }
}

package dev.handoff.admin;

import dev.handoff.loop.EventLoops;
import dev.handoff.process.PoolSnapshot;
import dev.handoff.process.WorkerPool;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Whether the server lives, and whether it is ready for requests. Never calls user code. */
final class Health {
    /** A loop that takes longer for one turn is not serving anybody. */
    private static final long PATIENCE_MILLIS = 1000;

    /**
     * @param cause in words, also when all is well
     */
    record Verdict(boolean ok, String cause) {}

    private final EventLoops loops;
    private final Supplier<List<WorkerPool>> pools;
    private volatile boolean draining;

    Health(EventLoops loops, Supplier<List<WorkerPool>> pools) {
        this.loops = loops;
        this.pools = pools;
    }

    /** From now on it is not ready, so that nobody sends clients to a port that closes. */
    void beginDraining() {
        draining = true;
    }

    /** Lives if every loop turns. */
    CompletableFuture<Verdict> live() {
        CompletableFuture<?>[] turns =
                IntStream.range(0, loops.count())
                        .mapToObj(i -> CompletableFuture.runAsync(() -> {}, loops.get(i)))
                        .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(turns)
                .orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .handle((turned, late) ->
                        late == null
                                ? new Verdict(true, "live")
                                : new Verdict(false, "an event loop does not turn"));
    }

    /**
     * Ready unless it drains, if every pool has a worker that takes requests, and room in its
     * queue.
     */
    CompletableFuture<Verdict> ready() {
        if (draining) {
            return CompletableFuture.completedFuture(new Verdict(false, "the server is draining"));
        }
        return snapshots(pools.get())
                .handle((snapshots, late) ->
                        late == null
                                ? judge(snapshots)
                                : new Verdict(false, "a pool's event loop does not turn"));
    }

    static CompletableFuture<List<PoolSnapshot>> snapshots(List<WorkerPool> pools) {
        List<CompletableFuture<PoolSnapshot>> asked =
                pools.stream().map(WorkerPool::snapshot).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .thenApply(all -> asked.stream().map(CompletableFuture::join).toList());
    }

    private static Verdict judge(List<PoolSnapshot> pools) {
        for (PoolSnapshot pool : pools) {
            String name = "pool " + pool.name();
            if (pool.draining()) {
                return new Verdict(false, name + " is draining");
            }
            if (pool.window() == 0) {
                return new Verdict(false, name + " has no ready worker");
            }
            if (pool.queued() >= pool.queueLimit()) {
                return new Verdict(false, name + " has a full queue");
            }
        }
        return new Verdict(true, "ready");
    }
}

package dev.handoff.admin.stats;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.PoolSnapshot;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Asks all loops and pools at once what they counted and how they are doing. A loop that does not
 * answer in time is shown as it was last. Belongs to the thread of the loop that reads.
 */
final class SnapshotReader {
    private final List<LoopReader> loops;
    private final Supplier<List<WorkerPool>> pools;
    private final Supplier<List<WorkerPool>> retiring;
    private final EventLoop readingLoop;
    private final InstantSource wall;
    private final Map<WorkerPool, LoopPoll<PoolSnapshot>> polls = new HashMap<>();
    private final Map<WorkerPool, PoolSnapshot> snapshots = new HashMap<>();

    SnapshotReader(ObservedServer observed, EventLoop readingLoop, InstantSource wall) {
        this.loops =
                IntStream.range(0, observed.loops().count())
                        .mapToObj(i -> new LoopReader(i, observed, readingLoop))
                        .toList();
        this.pools = observed.pools();
        this.retiring = observed.retiring();
        this.readingLoop = readingLoop;
        this.wall = wall;
    }

    /**
     * Brings all up to date. Must not be called again before that is done.
     *
     * @return completes on the loop that reads
     */
    CompletableFuture<ServerSnapshot> read() {
        List<WorkerPool> serving = pools.get();
        List<WorkerPool> leaving = retiring.get();
        List<WorkerPool> all = Stream.concat(serving.stream(), leaving.stream()).toList();
        polls.keySet().retainAll(all);
        snapshots.keySet().retainAll(all);
        Stream<CompletableFuture<Void>> asked =
                Stream.concat(
                        loops.stream().map(LoopReader::read),
                        all.stream().map(pool -> poll(pool).ask()));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApplyAsync(answered -> newest(serving, leaving), readingLoop);
    }

    /** A snapshot of what the loops told last; without counts before the first {@link #read}. */
    ServerSnapshot newest(List<WorkerPool> serving, List<WorkerPool> leaving) {
        return new ServerSnapshot(
                wall.instant(),
                readingLoop.clock().nanoTime(),
                loops.stream().map(LoopReader::totals).reduce(Totals::plus).orElseThrow(),
                loops.getFirst().isAcceptPaused(),
                loops.stream().mapToInt(LoopReader::takePeak).max().orElseThrow(),
                loops.stream().map(LoopReader::state).toList(),
                known(serving),
                known(leaving));
    }

    private List<PoolSnapshot> known(List<WorkerPool> asked) {
        return asked.stream().map(snapshots::get).filter(Objects::nonNull).toList();
    }

    private LoopPoll<PoolSnapshot> poll(WorkerPool pool) {
        return polls.computeIfAbsent(
                pool,
                absent ->
                        new LoopPoll<>(
                                pool::snapshot,
                                snapshot -> snapshots.put(pool, snapshot),
                                readingLoop));
    }
}

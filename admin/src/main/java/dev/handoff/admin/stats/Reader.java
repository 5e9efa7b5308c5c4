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
 * Asks all loops and pools at once what they counted and how they are doing. What does not answer
 * in time is shown as it was last. Belongs to the thread of the loop that reads.
 */
final class Reader {
    private final List<LoopReader> loops;
    private final Supplier<List<WorkerPool>> pools;
    private final Supplier<List<WorkerPool>> retiring;
    private final EventLoop home;
    private final InstantSource wall;
    private final Map<WorkerPool, Question<PoolSnapshot>> questions = new HashMap<>();
    private final Map<WorkerPool, PoolSnapshot> snapshots = new HashMap<>();

    Reader(Subject subject, EventLoop home, InstantSource wall) {
        this.loops =
                IntStream.range(0, subject.loops().count())
                        .mapToObj(i -> new LoopReader(i, subject, home))
                        .toList();
        this.pools = subject.pools();
        this.retiring = subject.retiring();
        this.home = home;
        this.wall = wall;
    }

    /**
     * Brings all up to date; to be called again when that is done.
     *
     * @return completes on the loop that reads
     */
    CompletableFuture<Reading> read() {
        List<WorkerPool> serving = pools.get();
        List<WorkerPool> leaving = retiring.get();
        List<WorkerPool> all = Stream.concat(serving.stream(), leaving.stream()).toList();
        questions.keySet().retainAll(all);
        snapshots.keySet().retainAll(all);
        Stream<CompletableFuture<Void>> asked =
                Stream.concat(
                        loops.stream().map(LoopReader::read),
                        all.stream().map(pool -> question(pool).ask()));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApplyAsync(answered -> newest(serving, leaving), home);
    }

    /** What is known by now; nothing before the first {@link #read}. */
    Reading newest(List<WorkerPool> serving, List<WorkerPool> leaving) {
        return new Reading(
                wall.instant(),
                home.clock().nanoTime(),
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

    private Question<PoolSnapshot> question(WorkerPool pool) {
        return questions.computeIfAbsent(
                pool,
                absent ->
                        new Question<>(
                                pool::snapshot, snapshot -> snapshots.put(pool, snapshot), home));
    }
}

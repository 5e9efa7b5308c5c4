package dev.handoff.admin.api;

import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.OldestRequests;
import dev.handoff.process.dispatch.PoolSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Asks the pools how they are doing, each on its own loop and none for longer than a second. On the
 * admin server's loop.
 */
final class PoolQuestions {
    /**
     * The answers of several pools.
     *
     * @param <V> what was asked for
     * @param answers by pool, in their order
     * @param silent the names of the pools whose loop did not answer in time
     */
    record Answers<V>(Map<WorkerPool, V> answers, List<String> silent) {}

    /** A question for the oldest requests; each number of them is a question of its own. */
    private record RequestsOf(WorkerPool pool, int most) {}

    private final Supplier<List<WorkerPool>> pools;
    private final Supplier<List<WorkerPool>> retiring;
    private final OpenQuestions<WorkerPool, PoolSnapshot> snapshots = new OpenQuestions<>();
    private final OpenQuestions<RequestsOf, OldestRequests> requests = new OpenQuestions<>();

    /**
     * @param pools those that serve at the moment, in the order in which they are shown
     * @param retiring those that were removed or replaced, and finish what they have
     */
    PoolQuestions(Supplier<List<WorkerPool>> pools, Supplier<List<WorkerPool>> retiring) {
        this.pools = pools;
        this.retiring = retiring;
    }

    /** The pools that serve, which an operator can change. */
    List<WorkerPool> pools() {
        return pools.get();
    }

    /** The pools that serve, then those that retire. */
    List<WorkerPool> withRetiring() {
        return Stream.concat(pools.get().stream(), retiring.get().stream()).toList();
    }

    /** The pool of this name that serves, and those that it replaced. */
    List<WorkerPool> allOf(String name) throws ProblemException {
        List<WorkerPool> found =
                withRetiring().stream().filter(pool -> pool.name().equals(name)).toList();
        return found.isEmpty() ? List.of(find(name)) : found;
    }

    WorkerPool find(String name) throws ProblemException {
        for (WorkerPool pool : pools.get()) {
            if (pool.name().equals(name)) {
                return pool;
            }
        }
        throw new ProblemException(Problem.notFound("there is no pool " + Problem.quoted(name)));
    }

    /**
     * Asks the pools that serve.
     *
     * @param loop where the answers come together; not a pool's, which serves clients
     */
    CompletableFuture<Answers<PoolSnapshot>> snapshots(Executor loop) {
        return snapshots(pools.get(), loop);
    }

    /** Asks the pools that retire. */
    CompletableFuture<Answers<PoolSnapshot>> retiringSnapshots(Executor loop) {
        return snapshots(retiring.get(), loop);
    }

    private CompletableFuture<Answers<PoolSnapshot>> snapshots(
            List<WorkerPool> asked, Executor loop) {
        return askAll(asked, pool -> snapshots.ask(pool, pool::snapshot), loop);
    }

    /** The oldest requests in hand of each of these pools. */
    CompletableFuture<Answers<OldestRequests>> requests(
            List<WorkerPool> asked, int most, Executor loop) {
        return askAll(
                asked,
                pool -> requests.ask(new RequestsOf(pool, most), () -> pool.oldestRequests(most)),
                loop);
    }

    private static <V> CompletableFuture<Answers<V>> askAll(
            List<WorkerPool> pools,
            Function<WorkerPool, CompletableFuture<V>> question,
            Executor loop) {
        Map<WorkerPool, CompletableFuture<V>> asked = new LinkedHashMap<>();
        pools.forEach(pool -> asked.put(pool, question.apply(pool)));
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new))
                .handleAsync((all, late) -> collect(asked), loop);
    }

    private static <V> Answers<V> collect(Map<WorkerPool, CompletableFuture<V>> asked) {
        Map<WorkerPool, V> answers = new LinkedHashMap<>();
        List<String> silent = new ArrayList<>();
        asked.forEach((pool, answer) -> {
            if (answer.isCompletedExceptionally()) {
                silent.add(pool.name());
            } else {
                answers.put(pool, answer.join());
            }
        });
        return new Answers<>(answers, silent);
    }
}

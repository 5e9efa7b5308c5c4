package dev.handoff.admin.api;

import dev.handoff.process.PoolSnapshot;
import dev.handoff.process.RequestsInHand;
import dev.handoff.process.WorkerPool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Asks the pools how they are doing, each on its own loop and none for longer than a second. On the
 * admin server's loop.
 */
final class PoolQuestions {
    /**
     * What came back.
     *
     * @param <V> what was asked for
     * @param answers by pool, in their order
     * @param silent the names of the pools whose loop did not answer in time
     */
    record Answers<V>(Map<WorkerPool, V> answers, List<String> silent) {}

    /** The question for so many requests; each number is a question of its own. */
    private record RequestsOf(WorkerPool pool, int most) {}

    private final Supplier<List<WorkerPool>> pools;
    private final OpenQuestions<WorkerPool, PoolSnapshot> snapshots = new OpenQuestions<>();
    private final OpenQuestions<RequestsOf, RequestsInHand> requests = new OpenQuestions<>();

    /**
     * @param pools those of the moment, in the order in which they are shown
     */
    PoolQuestions(Supplier<List<WorkerPool>> pools) {
        this.pools = pools;
    }

    List<WorkerPool> pools() {
        return pools.get();
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
     * @param loop where the answers come together: no pool's, which has better to do
     */
    CompletableFuture<Answers<PoolSnapshot>> snapshots(Executor loop) {
        return askAll(pools.get(), pool -> snapshots.ask(pool, pool::snapshot), loop);
    }

    /** The oldest requests in hand of each of these pools. */
    CompletableFuture<Answers<RequestsInHand>> requests(
            List<WorkerPool> asked, int most, Executor loop) {
        return askAll(
                asked,
                pool -> requests.ask(new RequestsOf(pool, most), () -> pool.requestsInHand(most)),
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

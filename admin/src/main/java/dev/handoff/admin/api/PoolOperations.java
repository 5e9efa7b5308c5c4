package dev.handoff.admin.api;

import dev.handoff.http.Response;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.supervise.PoolChange;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The endpoints that change pools and workers. On the admin server's loop. */
final class PoolOperations {
    private final PoolQuestions pools;

    PoolOperations(PoolQuestions pools) {
        this.pools = pools;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/pools/{pool}/reload", this::reload).taking("wait"),
                Endpoint.post("/pools/{pool}/scale", this::scale).taking("wait"),
                Endpoint.post("/workers/{worker}/drain", call -> end(call, WorkerPool::drainWorker))
                        .taking("wait"),
                Endpoint.post("/workers/{worker}/kill", call -> end(call, WorkerPool::killWorker))
                        .taking("wait"));
    }

    private CompletionStage<Response> reload(Call call) throws ProblemException {
        WorkerPool pool = pools.find(call.name());
        JsonBody.requireEmpty(call.request().body());
        return change(pool, call, WorkerPool::reload);
    }

    private CompletionStage<Response> scale(Call call) throws ProblemException {
        WorkerPool pool = pools.find(call.name());
        int count = JsonBody.number(call.request().body(), "workers", 1, WorkerPool.MOST_PROCESSES);
        return change(pool, call, changed -> changed.scale(count));
    }

    /** A worker's id begins with the name of its pool, and a hyphen. */
    private CompletionStage<Response> end(
            Call call, BiFunction<WorkerPool, String, CompletableFuture<PoolChange>> operation)
            throws ProblemException {
        String id = call.name();
        JsonBody.requireEmpty(call.request().body());
        WorkerPool pool =
                pools.pools().stream()
                        .filter(each -> id.startsWith(each.name() + "-"))
                        .max(Comparator.comparingInt(each -> each.name().length()))
                        .orElseThrow(() -> new ProblemException(Change.unknown("worker", id)));
        return change(pool, call, changed -> operation.apply(changed, id));
    }

    /** Checks the whole call before anything begins. */
    private static CompletionStage<Response> change(
            WorkerPool pool,
            Call call,
            Function<WorkerPool, CompletableFuture<PoolChange>> operation)
            throws ProblemException {
        boolean waits = call.query().flag("wait");
        String kind = call.name().equals(pool.name()) ? "pool" : "worker";
        Change change = new Change(pool, kind, call.name(), operation.apply(pool));
        return waits ? change.answerWhenOver(call.loop()) : change.answerWhenBegun(call.loop());
    }
}

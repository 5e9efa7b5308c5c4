package dev.handoff.admin.api;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.process.dispatch.PoolSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Tells whether the server lives, for the program that restarts it, and whether it is ready, for
 * the one that sends it clients. Never calls user code. On the admin server's loop, but for {@link
 * #beginDraining}.
 */
final class Health {
    private final EventLoops loops;
    private final PoolQuestions pools;
    private final OpenQuestions<EventLoop, Boolean> turns = new OpenQuestions<>();
    private volatile boolean draining;

    Health(EventLoops loops, PoolQuestions pools) {
        this.loops = loops;
        this.pools = pools;
    }

    /** Makes the server not ready, so that no client is sent to a port that closes. */
    void beginDraining() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/live", this::live).open(),
                Endpoint.get("/ready", this::ready).open());
    }

    /** The server lives if every loop turns. */
    private CompletionStage<Response> live(Call call) {
        CompletableFuture<?>[] asked =
                IntStream.range(0, loops.count())
                        .mapToObj(i -> turn(loops.get(i)))
                        .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(asked)
                .handleAsync(
                        (turned, late) ->
                                late == null
                                        ? new HealthReport(true, "live", List.of())
                                        : new HealthReport(
                                                false, "an event loop does not respond", List.of()),
                        call.loop())
                .thenApply(report -> answer("live", report, call));
    }

    private CompletableFuture<Boolean> turn(EventLoop loop) {
        return turns.ask(loop, () -> loop.ask(() -> true));
    }

    /**
     * The server is ready unless it drains, if every pool has a worker that takes requests, and
     * room in its queue.
     */
    private CompletionStage<Response> ready(Call call) {
        return judge(call).thenApply(report -> answer("ready", report, call));
    }

    private CompletionStage<HealthReport> judge(Call call) {
        if (draining) {
            return CompletableFuture.completedFuture(
                    new HealthReport(false, "the server is draining", List.of()));
        }
        return pools.snapshots(call.loop()).thenApply(answers -> judge(answers, call.authorised()));
    }

    private static HealthReport judge(
            PoolQuestions.Answers<PoolSnapshot> answers, boolean tellsAll) {
        List<HealthReport.OfPool> judged = new ArrayList<>();
        answers.answers()
                .values()
                .forEach(pool ->
                        judged.add(new HealthReport.OfPool(pool.name(), cause(pool, tellsAll))));
        answers.silent()
                .forEach(name ->
                        judged.add(
                                new HealthReport.OfPool(
                                        name, "has an event loop that does not respond")));
        for (HealthReport.OfPool pool : judged) {
            if (!pool.ok()) {
                return new HealthReport(false, pool.sentence(), judged);
            }
        }
        return new HealthReport(true, "ready", judged);
    }

    /**
     * Empty if the pool is ready.
     *
     * @param tellsAll false leaves out how a worker ended, which may be secret
     */
    private static String cause(PoolSnapshot pool, boolean tellsAll) {
        if (pool.draining()) {
            return "is draining";
        }
        if (pool.concurrency() == 0) {
            String error = tellsAll ? lastError(pool) : "";
            return "has no ready worker" + (error.isEmpty() ? "" : ": " + error);
        }
        if (pool.queued() >= pool.queueLimit()) {
            return "has a full queue";
        }
        return pool.saturated() ? "has a queue that is nearly full" : "";
    }

    /** Why a worker failed: the first in the list that has an error, else the pool's. */
    private static String lastError(PoolSnapshot pool) {
        for (PoolSnapshot.Worker worker : pool.workers()) {
            if (!worker.lastError().isEmpty()) {
                return worker.lastError();
            }
        }
        return pool.lastError();
    }

    /** A line of text, or JSON for clients that accept it. */
    private static Response answer(String name, HealthReport report, Call call) {
        int status = report.ok() ? 200 : 503;
        boolean asJson =
                ErrorForm.of(call.request().method(), call.request().headers()).asProblem();
        return asJson
                ? Responses.json(status, report.json(name))
                : Responses.text(status, report.cause() + "\n");
    }
}

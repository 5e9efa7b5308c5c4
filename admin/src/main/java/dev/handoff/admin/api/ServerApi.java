package dev.handoff.admin.api;

import dev.handoff.http.Response;
import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The endpoints about the server as it is now: its health, its workers, the requests in hand, its
 * configuration, and what it can be told to do. On the admin server's loop, but for {@link
 * #beginDraining}.
 */
public final class ServerApi {
    private static final int MOST_REQUESTS = 1000;
    private static final int USUAL_REQUESTS = 100;
    private static final String BEGUN = "{\"state\":\"begun\"}\n";

    private final PoolQuestions pools;
    private final Health health;
    private final ServerOperations operations;
    private final OpenApi description;

    /**
     * @param loops the loops that {@code /live} checks
     * @param serving the pools of the moment, in the order in which they are shown
     * @param retiring those that were removed or replaced, and finish what they have
     * @param version of the server
     */
    public ServerApi(
            EventLoops loops,
            Supplier<List<WorkerPool>> serving,
            Supplier<List<WorkerPool>> retiring,
            ServerOperations operations,
            String version) {
        this.pools = new PoolQuestions(serving, retiring);
        this.health = new Health(loops, pools);
        this.operations = operations;
        this.description = OpenApi.of(version);
    }

    /** Makes {@code /ready} say that the server is draining. Any thread. */
    public void beginDraining() {
        health.beginDraining();
    }

    /** Any thread. */
    public boolean isDraining() {
        return health.isDraining();
    }

    public List<Endpoint> endpoints() {
        List<Endpoint> ofServer =
                List.of(
                        Endpoint.get("/workers", this::workers),
                        Endpoint.get("/requests", this::requests).taking("limit", "pool"),
                        Endpoint.get("/config", call -> now(operations.configuration())),
                        Endpoint.get("/openapi.json", call -> now(description.json())),
                        Endpoint.post("/reload", this::reload).taking("wait"),
                        Endpoint.post("/drain", this::drain));
        return Stream.of(health.endpoints(), ofServer, new PoolOperations(pools).endpoints())
                .flatMap(List::stream)
                .toList();
    }

    private CompletionStage<Response> workers(Call call) {
        return pools.snapshots(call.loop())
                .thenCombine(
                        pools.retiringSnapshots(call.loop()),
                        (serving, retiring) ->
                                Responses.json(
                                        200, WorkersJson.of(serving, retiring, Instant.now())));
    }

    private CompletionStage<Response> requests(Call call) throws ProblemException {
        int most = call.query().number("limit", 1, MOST_REQUESTS, USUAL_REQUESTS);
        String name = call.query().text("pool");
        List<WorkerPool> asked = name == null ? pools.withRetiring() : pools.allOf(name);
        // Looked up last: a pool that a reload replaces between the two lines has to show as
        // retiring.
        List<WorkerPool> serving = pools.pools();
        return pools.requests(asked, most, call.loop())
                .thenApply(answers -> Responses.json(200, RequestsJson.of(answers, serving, most)));
    }

    private CompletionStage<Response> reload(Call call) throws ProblemException {
        JsonBody.requireEmpty(call.request().body());
        boolean waits = call.query().flag("wait");
        CompletableFuture<ReloadOutcome> over = operations.reload();
        if (!waits) {
            return CompletableFuture.completedFuture(Responses.json(202, BEGUN));
        }
        return over.copy()
                .orTimeout(Change.WAIT_SECONDS, TimeUnit.SECONDS)
                .handleAsync(
                        (outcome, late) ->
                                late == null ? told(outcome) : Responses.json(202, BEGUN),
                        call.loop());
    }

    private static Response told(ReloadOutcome outcome) {
        return switch (outcome) {
            case ReloadOutcome.Failed(String why) -> new Problem(409, "failed", why).response();
            case ReloadOutcome.Done(String remark) -> Responses.json(200, done(remark));
        };
    }

    private static String done(String remark) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonLibrary.PROVIDER.createGenerator(text)) {
            json.writeStartObject().write("state", "done");
            if (!remark.isEmpty()) {
                json.write("detail", remark);
            }
            json.writeEnd();
        }
        return text.append('\n').toString();
    }

    /**
     * The response leaves at the end of this turn of the loop, and so before the end of the server,
     * which closes the admin server's connections by a task on the same loop.
     */
    private CompletionStage<Response> drain(Call call) throws ProblemException {
        JsonBody.requireEmpty(call.request().body());
        if (!operations.drain()) {
            throw new ProblemException(Problem.conflict("the server is draining already"));
        }
        return CompletableFuture.completedFuture(Responses.json(202, BEGUN));
    }

    private static CompletionStage<Response> now(String json) {
        return CompletableFuture.completedFuture(Responses.json(200, json));
    }
}

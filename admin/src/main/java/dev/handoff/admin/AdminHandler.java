package dev.handoff.admin;

import dev.handoff.admin.page.Page;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.WorkerPool;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The routes of the admin server. Answers come from other loops, when they have been asked. */
final class AdminHandler implements Handler {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json";

    private final Health health;
    private final Supplier<List<WorkerPool>> pools;
    private final Page page = Page.load();

    AdminHandler(Health health, Supplier<List<WorkerPool>> pools) {
        this.health = health;
        this.pools = pools;
    }

    @Override
    public void handle(Exchange exchange) {
        route(exchange)
                .whenComplete((response, failure) -> {
                    if (failure == null) {
                        exchange.respond(response);
                    } else {
                        exchange.fail(failure);
                    }
                });
    }

    private CompletionStage<Response> route(Exchange exchange) {
        String method = exchange.request().method();
        boolean reads = method.equals("GET") || method.equals("HEAD");
        String path = path(exchange.request().target());
        Response file = page.answer(path, exchange.request());
        if (file != null) {
            return reads ? CompletableFuture.completedFuture(file) : readsOnly();
        }
        return switch (path) {
            case "/live" -> reads ? health.live().thenApply(AdminHandler::verdict) : readsOnly();
            case "/ready" -> reads ? health.ready().thenApply(AdminHandler::verdict) : readsOnly();
            case "/workers" -> reads ? workers() : readsOnly();
            default -> now(404, "Nothing here. There are /live, /ready and /workers.\n");
        };
    }

    private CompletionStage<Response> workers() {
        return Health.snapshots(pools.get())
                .thenApply(snapshots -> reply(200, JSON, WorkersJson.of(snapshots)));
    }

    private static Response verdict(Health.Verdict verdict) {
        return reply(verdict.ok() ? 200 : 503, TEXT, verdict.cause() + "\n");
    }

    private static CompletionStage<Response> readsOnly() {
        return CompletableFuture.completedFuture(
                Response.of(
                        405,
                        Headers.of("content-type", TEXT, "allow", "GET, HEAD"),
                        Body.utf8("This can only be read.\n")));
    }

    private static CompletionStage<Response> now(int status, String text) {
        return CompletableFuture.completedFuture(reply(status, TEXT, text));
    }

    /** What is true now is not true later: nobody may keep it. */
    private static Response reply(int status, String type, String content) {
        return Response.of(
                status,
                Headers.of("content-type", type, "cache-control", "no-store"),
                Body.utf8(content));
    }

    private static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}

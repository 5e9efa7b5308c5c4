package dev.handoff.admin.api;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.ServerListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Brings each request of the admin server to its {@link Endpoint}, past the {@link Guard}, and adds
 * the fields that all responses have. On the admin server's loop.
 */
public final class ApiHandler implements Handler {
    private final Guard guard;
    private final Endpoints endpoints;
    private final RefusedCalls refused;
    private final LocalPeers peers = LocalPeers.ofThisMachine();

    /**
     * @param host where the admin server listens
     * @param token what a caller has to show; null for nothing
     * @param refused counts those that are not let in
     */
    public ApiHandler(
            String host,
            @Nullable AccessToken token,
            List<Endpoint> endpoints,
            RefusedCalls refused) {
        this.guard = new Guard(host, token);
        this.refused = refused;
        this.endpoints = new Endpoints(endpoints);
    }

    /** Sets the port that the server listens on. Comes before any call. */
    public void calledOn(int port) {
        peers.calledOn(port);
    }

    /** Has to hear of the admin server's connections. */
    public ServerListener connections() {
        return peers;
    }

    /**
     * Answers each request in a later turn of the loop. Otherwise a client that pipelines would
     * have all its requests answered in one turn, while probes wait.
     */
    @Override
    public void handle(Exchange exchange) {
        if (guard.dependsOnUser(exchange.request())) {
            exchange.runAlone();
        }
        var _ =
                CompletableFuture.completedFuture(exchange)
                        .thenComposeAsync(this::answer, exchange.loop())
                        .whenComplete((response, failure) -> {
                            if (failure == null) {
                                exchange.respond(withCommonFields(response));
                            } else if (cause(failure) instanceof ProblemException refused) {
                                exchange.respond(withCommonFields(refused.problem().response()));
                            } else {
                                exchange.fail(cause(failure));
                            }
                        });
    }

    private CompletionStage<Response> answer(Exchange exchange) {
        Request request = exchange.request();
        int query = request.target().indexOf('?');
        String path = query < 0 ? request.target() : request.target().substring(0, query);
        List<Endpoints.Match> found = endpoints.at(path);
        Endpoints.Match match = Endpoints.of(request.method(), found);
        try {
            check(exchange, found, match);
            if (match == null) {
                return CompletableFuture.completedFuture(withoutEndpoint(request, found));
            }
            String parameters = query < 0 ? "" : request.target().substring(query + 1);
            Endpoint endpoint = match.endpoint();
            Query parsed = Query.parse(parameters, endpoint.parameters());
            Call call =
                    new Call(
                            request,
                            match.name(),
                            parsed,
                            guard.isAuthorised(request),
                            exchange.loop());
            return guard.dependsOnUser(request)
                    ? operateForOwnUser(endpoint, call, exchange)
                    : endpoint.operation().answer(call);
        } catch (ProblemException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private CompletionStage<Response> operateForOwnUser(
            Endpoint endpoint, Call call, Exchange exchange) {
        return peers.isOurs(exchange)
                .thenComposeAsync(
                        ours -> {
                            try {
                                if (!ours) {
                                    throw refusal(CallRefusal.OTHER_USER, exchange);
                                }
                                return endpoint.operation().answer(call);
                            } catch (ProblemException refused) {
                                return CompletableFuture.failedFuture(refused);
                            }
                        },
                        exchange.loop());
    }

    private ProblemException refusal(CallRefusal reason, Exchange exchange) {
        refused.add(reason, exchange.client());
        return new ProblemException(guard.problem(reason, exchange.request()));
    }

    /**
     * Checks before anything else, so that a caller who is not let in does not learn what exists.
     */
    private void check(
            Exchange exchange, List<Endpoints.Match> found, Endpoints.@Nullable Match match)
            throws ProblemException {
        Request request = exchange.request();
        Endpoints.Match first = match == null && !found.isEmpty() ? found.getFirst() : match;
        Endpoint.Access access = first == null ? Endpoint.Access.TOKEN : first.endpoint().access();
        CallRefusal refusal = guard.refuse(request, access);
        if (refusal == null && match != null && Guard.hasFormContent(request)) {
            refusal = CallRefusal.NOT_JSON;
        }
        if (refusal != null) {
            throw refusal(refusal, exchange);
        }
    }

    private static Response withoutEndpoint(Request request, List<Endpoints.Match> found) {
        boolean allOfThem = request.target().equals("*");
        if (found.isEmpty() && !allOfThem) {
            return Problem.notFound("there is no such endpoint; GET /openapi.json lists them")
                    .response();
        }
        String allowed = allOfThem ? "GET, HEAD, OPTIONS, POST" : Endpoints.allowed(found);
        if (request.method().equals("OPTIONS")) {
            return Response.of(204, Headers.of("allow", allowed), Body.EMPTY);
        }
        return new Problem(
                        405,
                        "method_not_allowed",
                        "this endpoint takes %s, not %s"
                                .formatted(allowed, Problem.quoted(request.method())),
                        "allow",
                        allowed)
                .response();
    }

    /** Forbids caches to keep the response, which is true only now, and other sites to use it. */
    private static Response withCommonFields(Response response) {
        Headers.Builder fields = new Headers.Builder();
        for (int i = 0; i < response.headers().size(); i++) {
            fields.add(response.headers().name(i), response.headers().value(i));
        }
        if (!response.headers().contains("cache-control")) {
            fields.add("cache-control", "no-store");
        }
        fields.add("x-content-type-options", "nosniff");
        fields.add("cross-origin-resource-policy", "same-origin");
        return Response.of(response.status(), fields.build(), response.body());
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}

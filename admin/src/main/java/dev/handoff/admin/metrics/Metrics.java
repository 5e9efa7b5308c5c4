package dev.handoff.admin.metrics;

import dev.handoff.admin.api.Call;
import dev.handoff.admin.api.Endpoint;
import dev.handoff.admin.api.LastResult;
import dev.handoff.admin.api.RefusedCalls;
import dev.handoff.admin.stats.ObservedServer;
import dev.handoff.admin.stats.ServerSnapshot;
import dev.handoff.admin.stats.Statistics;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import io.prometheus.client.exporter.common.TextFormat;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** {@code GET /metrics}, as Prometheus text or, for those who accept it, as OpenMetrics. */
public final class Metrics {
    private final Statistics statistics;

    /** By content type; there are two. */
    private final Map<String, LastResult<ServerSnapshot, Body>> expositions = new HashMap<>();

    private final Exposition exposition;

    /**
     * @param observed the server that the statistics are about
     * @param refused the calls that the admin server itself refused
     * @param version the number alone
     */
    public Metrics(
            Statistics statistics, ObservedServer observed, RefusedCalls refused, String version) {
        this.statistics = statistics;
        this.exposition =
                new Exposition(
                        observed.server()::limits,
                        observed.server().responseRoom(),
                        observed.server().spool(),
                        observed.files(),
                        observed.certificates(),
                        observed.droppedLogLines(),
                        refused,
                        version);
    }

    public List<Endpoint> endpoints() {
        return List.of(Endpoint.get("/metrics", this::answer));
    }

    /**
     * Writing the text takes milliseconds, so it is not done on a loop that serves clients. Callers
     * who ask at once share one text, since probes use this loop too.
     */
    private CompletionStage<Response> answer(Call call) {
        String accept = String.join(",", call.request().headers().all("accept"));
        String type = TextFormat.chooseContentType(accept);
        Headers headers = Headers.of("content-type", type, "vary", "accept");
        return statistics
                .snapshot()
                .thenApplyAsync(
                        snapshot -> Response.of(200, headers, shared(type).of(snapshot)),
                        call.loop());
    }

    private LastResult<ServerSnapshot, Body> shared(String type) {
        return expositions.computeIfAbsent(
                type,
                each -> new LastResult<>(snapshot -> Body.utf8(exposition.text(each, snapshot))));
    }
}

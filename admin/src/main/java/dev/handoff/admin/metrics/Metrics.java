package dev.handoff.admin.metrics;

import dev.handoff.admin.api.Call;
import dev.handoff.admin.api.Endpoint;
import dev.handoff.admin.api.RefusedCalls;
import dev.handoff.admin.api.Shared;
import dev.handoff.admin.stats.Reading;
import dev.handoff.admin.stats.Statistics;
import dev.handoff.admin.stats.Subject;
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
    private final Map<String, Shared<Reading, Body>> expositions = new HashMap<>();

    private final Exposition exposition;

    /**
     * @param subject what the statistics are of
     * @param refused what the admin server itself does not answer
     * @param version the number alone
     */
    public Metrics(Statistics statistics, Subject subject, RefusedCalls refused, String version) {
        this.statistics = statistics;
        this.exposition =
                new Exposition(
                        subject.server().limits(),
                        subject.server().responseRoom(),
                        subject.droppedLogLines(),
                        refused,
                        version);
    }

    public List<Endpoint> endpoints() {
        return List.of(Endpoint.get("/metrics", this::answer));
    }

    /**
     * The text takes milliseconds, which no loop that serves clients has; nor has this one for each
     * of many who ask at once, since probes ask here too.
     */
    private CompletionStage<Response> answer(Call call) {
        String accept = String.join(",", call.request().headers().all("accept"));
        String type = TextFormat.chooseContentType(accept);
        Headers headers = Headers.of("content-type", type, "vary", "accept");
        return statistics
                .reading()
                .thenApplyAsync(
                        reading -> Response.of(200, headers, shared(type).of(reading)),
                        call.loop());
    }

    private Shared<Reading, Body> shared(String type) {
        return expositions.computeIfAbsent(
                type, each -> new Shared<>(reading -> Body.utf8(exposition.text(each, reading))));
    }
}

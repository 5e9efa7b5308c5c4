package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.Reading;
import dev.handoff.admin.stats.Statistics;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.ServerLimits;
import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.exporter.common.TextFormat;
import io.prometheus.client.hotspot.DefaultExports;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The answer to {@code GET /metrics}: what the server counts, then {@code jvm_*} and {@code
 * process_*}, as Prometheus text or, for those who accept it, as OpenMetrics.
 */
public final class Metrics {
    private final Statistics statistics;
    private final ServerLimits limits;
    private final String version;
    private final CollectorRegistry java = new CollectorRegistry();

    /**
     * @param limits those of the HTTP server
     * @param version the number alone
     */
    public Metrics(Statistics statistics, ServerLimits limits, String version) {
        this.statistics = statistics;
        this.limits = limits;
        this.version = version;
        DefaultExports.register(java);
    }

    /**
     * @param writer who writes the text, which takes milliseconds: not a loop that serves clients
     */
    public CompletionStage<Response> answer(Request request, Executor writer) {
        String accept = String.join(",", request.headers().all("accept"));
        String type = TextFormat.chooseContentType(accept);
        return statistics
                .reading()
                .thenApplyAsync(
                        reading ->
                                Response.of(
                                        200,
                                        Headers.of("content-type", type, "vary", "accept"),
                                        Body.utf8(text(type, reading))),
                        writer);
    }

    private String text(String type, Reading reading) {
        StringWriter text = new StringWriter();
        try {
            TextFormat.writeFormat(type, text, Collections.enumeration(families(reading)));
        } catch (IOException notToMemory) {
            throw new UncheckedIOException(notToMemory);
        }
        return text.toString();
    }

    private List<MetricFamilySamples> families(Reading reading) {
        List<MetricFamilySamples> families = new ArrayList<>();
        families.add(buildInfo());
        for (Collector each : collectors(reading)) {
            families.addAll(each.collect());
        }
        families.addAll(Collections.list(java.metricFamilySamples()));
        return families;
    }

    private List<Collector> collectors(Reading reading) {
        return List.of(
                new RequestMetrics(reading.totals()),
                new ConnectionMetrics(reading),
                new LimitMetrics(limits),
                new QueueMetrics(reading),
                new HandlerMetrics(reading.totals()),
                new WorkerMetrics(reading),
                new LoopMetrics(reading));
    }

    private MetricFamilySamples buildInfo() {
        return new GaugeMetricFamily(
                        "handoff_build_info",
                        "Which Handoff this is; always 1.",
                        List.of("version"))
                .addMetric(List.of(version), 1);
    }
}

package dev.handoff.admin.metrics;

import dev.handoff.admin.api.RefusedCalls;
import dev.handoff.admin.stats.CountsBy;
import dev.handoff.admin.stats.ServedCertificate;
import dev.handoff.admin.stats.ServerCount;
import dev.handoff.admin.stats.ServerSnapshot;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.Spool;
import dev.handoff.server.files.FileThreads;
import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.exporter.common.TextFormat;
import io.prometheus.client.hotspot.DefaultExports;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The text of one scrape: what the server counts, then {@code process_*} and {@code jvm_*}, which
 * every Java program has under these names.
 */
final class Exposition {
    private final Supplier<ServerLimits> limits;
    private final ResponseRoom responseRoom;
    private final @Nullable Spool spool;
    private final FileThreads files;
    private final Supplier<List<ServedCertificate>> certificates;
    private final Map<String, LongSupplier> droppedLogLines;
    private final RefusedCalls refused;
    private final String version;

    Exposition(
            Supplier<ServerLimits> limits,
            ResponseRoom responseRoom,
            @Nullable Spool spool,
            FileThreads files,
            Supplier<List<ServedCertificate>> certificates,
            Map<String, LongSupplier> droppedLogLines,
            RefusedCalls refused,
            String version) {
        this.limits = limits;
        this.responseRoom = responseRoom;
        this.spool = spool;
        this.files = files;
        this.certificates = certificates;
        this.droppedLogLines = droppedLogLines;
        this.refused = refused;
        this.version = version;
    }

    /**
     * @param type one of those of {@link TextFormat}
     */
    String text(String type, ServerSnapshot snapshot) {
        StringWriter text = new StringWriter();
        try {
            TextFormat.writeFormat(type, text, Collections.enumeration(families(snapshot)));
        } catch (IOException notInMemory) {
            throw new UncheckedIOException(notInMemory);
        }
        return text.toString();
    }

    private List<MetricFamilySamples> families(ServerSnapshot snapshot) {
        List<MetricFamilySamples> families = new ArrayList<>();
        families.add(buildInfo());
        families.add(logLinesDropped());
        families.add(
                Counter.byReason(
                        "handoff_admin_refused_requests",
                        "Requests that the admin server refused.",
                        new CountsBy<>(refused.counts())));
        for (ServerCount each : ServerCount.values()) {
            if (!each.metric().isEmpty()) {
                families.add(Counter.of(each.metric(), each.help(), snapshot.totals().of(each)));
            }
        }
        for (Collector each : collectors(snapshot)) {
            families.addAll(each.collect());
        }
        families.addAll(Collections.list(Java.REGISTRY.metricFamilySamples()));
        return families;
    }

    private List<Collector> collectors(ServerSnapshot snapshot) {
        return List.of(
                new RequestMetrics(snapshot.totals()),
                new ConnectionMetrics(snapshot),
                new ResponseRoomMetrics(responseRoom),
                new SpoolMetrics(spool),
                new FileMetrics(files),
                new CertificateMetrics(certificates.get()),
                new LimitMetrics(limits),
                new QueueMetrics(snapshot),
                new PoolMetrics(snapshot.totals()),
                new WorkerMetrics(snapshot),
                new LoopMetrics(snapshot));
    }

    private MetricFamilySamples buildInfo() {
        return new GaugeMetricFamily(
                        "handoff_build_info",
                        "The version of Handoff; always 1.",
                        List.of("version"))
                .addMetric(List.of(version), 1);
    }

    private MetricFamilySamples logLinesDropped() {
        CounterMetricFamily family =
                Counter.labelled(
                        "handoff_log_lines_dropped",
                        "Log lines that were dropped because the log was not read fast enough.",
                        "log");
        droppedLogLines.forEach(
                (log, lines) -> family.addMetric(List.of(log), (double) lines.getAsLong()));
        return family;
    }

    /**
     * The metrics of the whole process. Made when first asked for, since that takes long and would
     * delay the start.
     */
    private static final class Java {
        static final CollectorRegistry REGISTRY = new CollectorRegistry();

        static {
            DefaultExports.register(REGISTRY);
        }
    }
}

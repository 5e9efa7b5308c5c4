package dev.handoff.admin.metrics;

import dev.handoff.server.Spool;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files in which large requests wait. */
final class SpoolMetrics extends Collector {
    private final @Nullable Spool spool;

    /**
     * @param spool null where all requests stay in memory
     */
    SpoolMetrics(@Nullable Spool spool) {
        this.spool = spool;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                new GaugeMetricFamily(
                        "handoff_spooled_requests",
                        "Large requests whose content is in a file.",
                        spool == null ? 0 : spool.files()),
                new GaugeMetricFamily(
                        "handoff_spooled_bytes",
                        "Bytes of their content.",
                        spool == null ? 0 : spool.bytes()),
                new GaugeMetricFamily(
                        "handoff_limit_spooled_bytes",
                        "Content of large requests in files; 0 where there are none.",
                        spool == null ? 0 : spool.limitBytes()));
    }
}

package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.ServerSnapshot;
import dev.handoff.process.dispatch.PoolSnapshot;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The queue of each pool: what waits, for how long, and what was refused. */
final class QueueMetrics extends Collector {
    private static final double NANOS_PER_SECOND = 1e9;

    private final ServerSnapshot snapshot;

    QueueMetrics(ServerSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return List.of(
                gauge("depth", "Requests that wait for a worker.", PoolSnapshot::queued),
                gauge("limit", "Requests that may wait.", PoolSnapshot::queueLimit),
                gauge("bytes", "Size of the requests that wait.", PoolSnapshot::queuedBytes),
                gauge(
                        "limit_bytes",
                        "Bytes of requests that may wait.",
                        PoolSnapshot::queueLimitBytes),
                gauge(
                        "oldest_age_seconds",
                        "Age of the request that waits longest; 0 if none waits.",
                        pool -> pool.oldestWaitNanos() / NANOS_PER_SECOND),
                gauge(
                        "overloaded",
                        "1 while more requests come than the workers can serve, so that the newest"
                                + " goes first.",
                        pool -> pool.overloaded() ? 1 : 0),
                waits(),
                rejected());
    }

    private GaugeMetricFamily gauge(String name, String help, ToDoubleFunction<PoolSnapshot> of) {
        GaugeMetricFamily family =
                new GaugeMetricFamily("handoff_queue_" + name, help, List.of("pool"));
        snapshot.pools()
                .forEach(pool -> family.addMetric(List.of(pool.name()), of.applyAsDouble(pool)));
        return family;
    }

    private HistogramFamily waits() {
        HistogramFamily family =
                new HistogramFamily(
                        "handoff_queue_wait_seconds",
                        "From the whole request until it was handed to a worker; the wait for another"
                                + " worker counts by itself.",
                        "pool");
        snapshot.totals().pools().forEach((name, pool) -> family.add(pool.waits(), name));
        return family;
    }

    private CounterMetricFamily rejected() {
        CounterMetricFamily family =
                Counter.labelled(
                        "handoff_queue_rejected",
                        "Requests that got 503 in place of a worker.",
                        "pool",
                        "reason");
        snapshot.totals()
                .pools()
                .forEach((name, pool) -> Counter.addByReason(family, pool.rejected(), name));
        return family;
    }
}

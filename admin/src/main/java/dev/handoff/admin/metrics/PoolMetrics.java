package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.PoolCount;
import dev.handoff.admin.stats.Totals;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import java.util.ArrayList;
import java.util.List;

/** The metrics of each pool's requests and workers. */
final class PoolMetrics extends Collector {
    private final Totals totals;

    PoolMetrics(Totals totals) {
        this.totals = totals;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        List<MetricFamilySamples> families = new ArrayList<>(List.of(duration(), cancels()));
        for (PoolCount each : PoolCount.values()) {
            if (!each.metric().isEmpty()) {
                families.add(counter(each));
            }
        }
        return families;
    }

    private HistogramFamily duration() {
        HistogramFamily family =
                new HistogramFamily(
                        "handoff_handler_duration_seconds",
                        "From the moment a request was handed to a worker until its response,"
                                + " also if it came too late.",
                        "pool");
        totals.pools().forEach((name, pool) -> family.add(pool.handling(), name));
        return family;
    }

    private CounterMetricFamily counter(PoolCount count) {
        CounterMetricFamily family = Counter.labelled(count.metric(), count.help(), "pool");
        totals.pools()
                .forEach((name, pool) ->
                        family.addMetric(List.of(name), (double) pool.counts().of(count)));
        return family;
    }

    private CounterMetricFamily cancels() {
        CounterMetricFamily family =
                Counter.labelled(
                        "handoff_cancels",
                        "Requests that a worker was told to give up.",
                        "pool",
                        "reason");
        totals.pools().forEach((name, pool) -> Counter.addByReason(family, pool.cancelled(), name));
        return family;
    }
}

package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.LoopState;
import dev.handoff.admin.stats.LoopTotals;
import dev.handoff.admin.stats.ServerSnapshot;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** The event loops, by their number. */
final class LoopMetrics extends Collector {
    private static final String LABEL = "loop";

    private final ServerSnapshot snapshot;

    LoopMetrics(ServerSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        HistogramFamily lag =
                new HistogramFamily(
                        "handoff_event_loop_lag_seconds",
                        "Time that a turn of the loop works, which is how long an event may have to"
                                + " wait; the sum is the time that the loop was busy.",
                        LABEL);
        GaugeMetricFamily connections =
                new GaugeMetricFamily(
                        "handoff_event_loop_connections",
                        "Connections of clients on this loop.",
                        List.of(LABEL));
        CounterMetricFamily requests =
                Counter.labelled(
                        "handoff_event_loop_requests",
                        "Whole requests that this loop received.",
                        LABEL);
        for (LoopTotals loop : snapshot.totals().loops()) {
            String index = Integer.toString(loop.index());
            lag.add(loop.turns(), index);
            connections.addMetric(List.of(index), (double) loop.open());
            requests.addMetric(List.of(index), (double) loop.requests());
        }
        return List.of(lag, connections, requests, responsive());
    }

    private GaugeMetricFamily responsive() {
        GaugeMetricFamily family =
                new GaugeMetricFamily(
                        "handoff_event_loop_responsive",
                        "Whether the loop answered this scrape in time; if not, its counts are"
                                + " from when it last did.",
                        List.of(LABEL));
        for (LoopState loop : snapshot.loops()) {
            family.addMetric(List.of(Integer.toString(loop.index())), loop.responsive() ? 1 : 0);
        }
        return family;
    }
}

package dev.handoff.admin.metrics;

import dev.handoff.admin.stats.ServerSnapshot;
import dev.handoff.process.dispatch.PoolSnapshot;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** The workers of each pool, all together: single workers come and go, and are in /workers. */
final class WorkerMetrics extends Collector {
    private static final List<String> STATES =
            List.of("starting", "ready", "draining", "leaving", "waiting");

    private final ServerSnapshot snapshot;

    WorkerMetrics(ServerSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        GaugeMetricFamily concurrency =
                perPool("handoff_worker_concurrency", "Requests that the workers take at once.");
        GaugeMetricFamily inFlight =
                perPool("handoff_pool_requests_in_flight", "Requests that the workers hold.");
        GaugeMetricFamily workers =
                new GaugeMetricFamily(
                        "handoff_workers",
                        "Workers, and processes that are to become workers.",
                        List.of("pool", "state"));
        GaugeMetricFamily info =
                new GaugeMetricFamily(
                        "handoff_worker_info",
                        "Each worker with its host; always 1.",
                        List.of("pool", "worker", "host"));
        for (PoolSnapshot pool : snapshot.pools()) {
            concurrency.addMetric(List.of(pool.name()), pool.concurrency());
            inFlight.addMetric(List.of(pool.name()), pool.inFlight());
            addStates(workers, pool);
            for (PoolSnapshot.Worker worker : pool.workers()) {
                info.addMetric(List.of(pool.name(), worker.id(), worker.host()), 1);
            }
        }
        return List.of(concurrency, inFlight, workers, info, exits());
    }

    private static void addStates(GaugeMetricFamily workers, PoolSnapshot pool) {
        for (String state : STATES) {
            long count = pool.workers().stream().filter(each -> each.state().equals(state)).count();
            workers.addMetric(List.of(pool.name(), state), (double) count);
        }
    }

    private CounterMetricFamily exits() {
        CounterMetricFamily family =
                Counter.labelled(
                        "handoff_worker_exits",
                        "Workers that ended, asked to or not.",
                        "pool",
                        "reason");
        snapshot.totals()
                .pools()
                .forEach((name, pool) -> Counter.addByReason(family, pool.exits(), name));
        return family;
    }

    private static GaugeMetricFamily perPool(String name, String help) {
        return new GaugeMetricFamily(name, help, List.of("pool"));
    }
}

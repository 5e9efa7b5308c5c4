package dev.handoff.admin.stats;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.handoff.admin.api.Times;
import dev.handoff.process.dispatch.PoolSnapshot;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObjectBuilder;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The parts of {@code /stats} about one pool and its workers. */
final class PoolStats {
    private static final List<String> STATES =
            List.of("starting", "ready", "draining", "leaving", "waiting");

    private PoolStats() {}

    static JsonObjectBuilder of(PoolSnapshot pool, Window window) {
        PoolTotals counts = totals(pool, window.counts());
        return JsonBuilders.object()
                .add("name", pool.name())
                .add("state", pool.draining() ? "draining" : "serving")
                .add("overloaded", pool.overloaded())
                .add("lastError", pool.lastError())
                .add("concurrency", pool.concurrency())
                .add("inFlight", pool.inFlight())
                .add("streams", pool.streams())
                .add("workers", byState(pool.workers()))
                .add("queue", queue(pool, counts))
                .add("rejected", JsonValues.counts(counts.rejected()))
                .add("requests", requests(counts))
                .add("handlerMillis", JsonValues.millis(counts.handling()))
                .add("latencyMillis", JsonValues.millis(counts.responses().latency()))
                .add("recent", recent(totals(pool, window.recent().counts()), window.recent()))
                .add("exits", JsonValues.counts(counts.exits()));
    }

    /**
     * The retiring pools, those of one name together: a pool can be replaced again while the one
     * before it still finishes. Their counts are in the pool that serves under their name.
     */
    static JsonArrayBuilder retiring(List<PoolSnapshot> pools) {
        JsonArrayBuilder json = JsonBuilders.array();
        pools.stream()
                .collect(groupingBy(PoolSnapshot::name, TreeMap::new, toList()))
                .forEach((name, same) -> json.add(retiring(name, same)));
        return json;
    }

    private static JsonObjectBuilder retiring(String name, List<PoolSnapshot> pools) {
        return JsonBuilders.object()
                .add("name", name)
                .add("pools", pools.size())
                .add("inFlight", pools.stream().mapToInt(PoolSnapshot::inFlight).sum())
                .add("streams", pools.stream().mapToInt(PoolSnapshot::streams).sum())
                .add("queued", pools.stream().mapToInt(PoolSnapshot::queued).sum())
                .add(
                        "workers",
                        byState(pools.stream().flatMap(pool -> pool.workers().stream()).toList()));
    }

    static Stream<JsonObjectBuilder> workers(PoolSnapshot pool, Window window) {
        return pool.workers().stream().map(worker -> worker(pool.name(), worker, window));
    }

    private static JsonObjectBuilder worker(
            String pool, PoolSnapshot.Worker worker, Window window) {
        PoolSnapshot.WorkerCounts counts =
                window.workers().getOrDefault(worker.id(), worker.counts());
        return JsonBuilders.object()
                .add("id", worker.id())
                .add("pool", pool)
                .add("host", worker.host())
                .add("state", worker.state())
                .add("concurrency", worker.concurrency())
                .add("inFlight", worker.inFlight())
                .add("streams", worker.streams())
                .add("requests", counts.requests())
                .add("failures", counts.failures())
                .add("cancels", counts.cancels())
                .add("lateResponses", counts.lateResponses())
                .add("restarts", worker.restarts())
                .add("memoryBytes", worker.memoryBytes());
    }

    private static JsonObjectBuilder byState(List<PoolSnapshot.Worker> workers) {
        JsonObjectBuilder json = JsonBuilders.object();
        for (String state : STATES) {
            json.add(state, workers.stream().filter(each -> each.state().equals(state)).count());
        }
        return json;
    }

    private static JsonObjectBuilder queue(PoolSnapshot pool, PoolTotals counts) {
        return JsonBuilders.object()
                .add("depth", pool.queued())
                .add("limit", pool.queueLimit())
                .add("bytes", pool.queuedBytes())
                .add("limitBytes", pool.queueLimitBytes())
                .add("oldestAgeMillis", Times.millis(pool.oldestWaitNanos()))
                .add("waitMillis", JsonValues.millis(counts.waits()));
    }

    private static JsonObjectBuilder requests(PoolTotals totals) {
        JsonObjectBuilder json = JsonBuilders.object();
        for (PoolCount each : PoolCount.values()) {
            if (!each.key().isEmpty()) {
                json.add(each.key(), totals.counts().of(each));
            }
        }
        return json.add("cancelled", JsonValues.counts(totals.cancelled()))
                .add("byStatus", JsonValues.byStatus(totals.responses()));
    }

    private static JsonObjectBuilder recent(PoolTotals counts, Window.Recent recent) {
        return JsonBuilders.object()
                .add("seconds", JsonValues.rounded(recent.seconds()))
                .add(
                        "requestsPerSecond",
                        JsonValues.perSecond(counts.responses().total(), recent.seconds()))
                .add("waitMillis", JsonValues.millis(counts.waits()))
                .add("handlerMillis", JsonValues.millis(counts.handling()));
    }

    /** The totals of a pool; none if it has just begun. */
    private static PoolTotals totals(PoolSnapshot pool, Totals totals) {
        return totals.pools().getOrDefault(pool.name(), PoolTotals.NONE);
    }
}

package dev.handoff.admin.stats;

import dev.handoff.process.dispatch.PoolSnapshot;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was counted since a reset, and how things are.
 *
 * @param resets how many there were before it since the start
 * @param resetAt when it began: at the start, or with the last reset
 * @param endedAt when the next reset closed it; null while it goes on
 * @param counts between its begin and {@code now}
 * @param peakConnections the most that were open at once
 * @param workers what each worker did since its begin, by id
 * @param recent of the last 10 to 15 s, which may be more than the window
 * @param now how things were at its end, or are while it goes on
 */
public record Window(
        int resets,
        Instant resetAt,
        @Nullable Instant endedAt,
        double seconds,
        Totals counts,
        int peakConnections,
        Map<String, PoolSnapshot.WorkerCounts> workers,
        Recent recent,
        ServerSnapshot now) {

    public Window {
        workers = Map.copyOf(workers);
    }

    /**
     * What was counted between two snapshots.
     *
     * @param recentBase the snapshot that {@code recent} begins with
     */
    static Window between(
            int resets,
            ServerSnapshot base,
            ServerSnapshot now,
            @Nullable Instant endedAt,
            int peak,
            ServerSnapshot recentBase) {
        return new Window(
                resets,
                base.takenAt(),
                endedAt,
                now.secondsSince(base),
                now.totals().minus(base.totals()),
                peak,
                workersSince(base, now),
                new Recent(now.secondsSince(recentBase), now.totals().minus(recentBase.totals())),
                now);
    }

    private static Map<String, PoolSnapshot.WorkerCounts> workersSince(
            ServerSnapshot base, ServerSnapshot now) {
        Map<String, PoolSnapshot.Worker> before = base.workers();
        Map<String, PoolSnapshot.WorkerCounts> since = new HashMap<>();
        now.workers()
                .forEach((id, worker) -> {
                    PoolSnapshot.Worker earlier = before.get(id);
                    since.put(id, earlier == null ? worker.counts() : worker.countsSince(earlier));
                });
        return since;
    }

    /**
     * What was counted in the last seconds.
     *
     * @param seconds how long that was; 0 just after the start
     */
    public record Recent(double seconds, Totals counts) {}
}

package dev.handoff.admin.stats;

import dev.handoff.process.dispatch.PoolSnapshot;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was counted since the start, and how things were when that was read.
 *
 * @param takenNanos the same moment as {@code takenAt}, on a clock that never jumps
 * @param acceptPaused whether as many connections are open as the limit allows
 * @param peakConnections the most that were open at once since the snapshot before
 * @param pools those that serve, in the order of their configuration
 * @param retiring those that were removed or replaced, and finish what they have; several may have
 *     the same name, also that of one that serves
 */
public record ServerSnapshot(
        Instant takenAt,
        long takenNanos,
        Totals totals,
        boolean acceptPaused,
        int peakConnections,
        List<LoopState> loops,
        List<PoolSnapshot> pools,
        List<PoolSnapshot> retiring) {

    private static final double NANOS_PER_SECOND = 1e9;

    public ServerSnapshot {
        loops = List.copyOf(loops);
        pools = List.copyOf(pools);
        retiring = List.copyOf(retiring);
    }

    /** The workers of the pools that serve, by id. */
    Map<String, PoolSnapshot.Worker> workers() {
        Map<String, PoolSnapshot.Worker> workers = new HashMap<>();
        for (PoolSnapshot pool : pools) {
            pool.workers().forEach(worker -> workers.put(worker.id(), worker));
        }
        return workers;
    }

    /** The seconds since {@code earlier}. */
    double secondsSince(ServerSnapshot earlier) {
        return (takenNanos - earlier.takenNanos) / NANOS_PER_SECOND;
    }

    public int activeConnections() {
        return loops.stream().mapToInt(LoopState::active).sum();
    }

    public long bufferedBytes() {
        return loops.stream().mapToLong(LoopState::bufferedBytes).sum();
    }
}

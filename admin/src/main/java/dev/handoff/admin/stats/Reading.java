package dev.handoff.admin.stats;

import dev.handoff.process.PoolSnapshot;
import java.time.Instant;
import java.util.List;

/**
 * What was counted since the start, and how things were when that was read.
 *
 * @param takenNanos the same moment as {@code takenAt}, on a clock that never jumps
 * @param acceptPaused whether as many connections are open as the limit allows
 * @param pools those that serve, in the order of their configuration
 */
public record Reading(
        Instant takenAt,
        long takenNanos,
        Totals totals,
        boolean acceptPaused,
        List<LoopState> loops,
        List<PoolSnapshot> pools) {

    public Reading {
        loops = List.copyOf(loops);
        pools = List.copyOf(pools);
    }

    public int activeConnections() {
        return loops.stream().mapToInt(LoopState::active).sum();
    }

    public long bufferedBytes() {
        return loops.stream().mapToLong(LoopState::bufferedBytes).sum();
    }
}

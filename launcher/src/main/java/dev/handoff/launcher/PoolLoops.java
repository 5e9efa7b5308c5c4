package dev.handoff.launcher;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * On which event loops pools live: finds a loop for a new one, and tells what the pools cost their
 * loops, so that these get fewer connections. Any thread.
 */
final class PoolLoops {
    /**
     * What all pools cost their loops, in thousandths of what all connections cost: 2.75 of 12.2
     * µs, as measured in decision 26.
     */
    private static final int COST_OF_ALL = 230;

    private final EventLoops loops;

    /** Asked for each new connection, so it is reckoned before. */
    private volatile Map<EventLoop, Integer> work = Map.of();

    PoolLoops(EventLoops loops) {
        this.loops = loops;
    }

    /**
     * The number of the loop with the fewest pools; of several the last, since the first accepts.
     *
     * @param others the pools that are there, or will be
     */
    int choose(List<WorkerPool> others) {
        Map<EventLoop, Integer> counts = counts(others);
        int chosen = loops.count() - 1;
        for (int i = loops.count() - 2; i >= 0; i--) {
            if (count(i, counts) < count(chosen, counts)) {
                chosen = i;
            }
        }
        return chosen;
    }

    private int count(int loop, Map<EventLoop, Integer> counts) {
        return counts.getOrDefault(loops.get(loop), 0);
    }

    /** From now on these are the pools that have requests. */
    void serve(List<WorkerPool> pools) {
        Map<EventLoop, Integer> counts = counts(pools);
        int all = counts.values().stream().mapToInt(Integer::intValue).sum();
        Map<EventLoop, Integer> costs = new HashMap<>();
        counts.forEach((loop, count) -> costs.put(loop, COST_OF_ALL * count / all));
        work = Map.copyOf(costs);
    }

    /** What the pools cost that loop, in thousandths of what all connections cost. */
    int work(EventLoop loop) {
        return work.getOrDefault(loop, 0);
    }

    private static Map<EventLoop, Integer> counts(List<WorkerPool> pools) {
        Map<EventLoop, Integer> counts = new HashMap<>();
        pools.forEach(pool -> counts.merge(pool.loop(), 1, Integer::sum));
        return counts;
    }
}

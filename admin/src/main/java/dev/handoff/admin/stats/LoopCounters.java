package dev.handoff.admin.stats;

import dev.handoff.server.ConnectionEnd;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All that one loop counts. Its parts belong to the loop's thread; {@link #pool} may be called from
 * any thread.
 */
final class LoopCounters {
    private final int index;
    private final EnumCounters<ServerCount> counts = new EnumCounters<>(ServerCount.class);
    private final ClientCounters clients = new ClientCounters(counts);
    private final TurnCounters turns = new TurnCounters(counts);

    /** The counters of each pool, by name, also of names that are no longer configured. */
    private final Map<String, PoolCounters> pools = new ConcurrentHashMap<>();

    /**
     * @param index of the loop, from 0
     */
    LoopCounters(int index) {
        this.index = index;
    }

    ClientCounters clients() {
        return clients;
    }

    TurnCounters turns() {
        return turns;
    }

    /** For the pools of this name that live here. */
    PoolCounters pool(String name) {
        return pools.computeIfAbsent(name, absent -> new PoolCounters());
    }

    /** The totals of this loop since the start. */
    Totals totals() {
        CountsBy<ServerCount> counted = counts.totals();
        CountsBy<ConnectionEnd> closed = clients.closed();
        return new Totals(
                counted,
                closed,
                clients.abandoned(),
                clients.streamEnds(),
                clients.streamDurations(),
                clients.closeCodes(),
                clients.webSocketDurations(),
                clients.refused(),
                clients.unrouted(),
                poolTotals(),
                List.of(
                        new LoopTotals(
                                index,
                                counted.of(ServerCount.ACCEPTED),
                                closed.total(),
                                counted.of(ServerCount.RECEIVED),
                                turns.turns())));
    }

    /** The clients of a pool may live on other loops than the pool itself. */
    private SortedMap<String, PoolTotals> poolTotals() {
        Map<String, ResponseTotals> responses = clients.responses();
        Set<String> names = new HashSet<>(responses.keySet());
        names.addAll(pools.keySet());
        SortedMap<String, PoolTotals> totals = new TreeMap<>();
        for (String name : names) {
            PoolCounters counters = pools.get(name);
            ResponseTotals given = responses.getOrDefault(name, ResponseTotals.NONE);
            totals.put(
                    name,
                    counters == null
                            ? PoolTotals.NONE.withResponses(given)
                            : counters.totals(given));
        }
        return totals;
    }
}

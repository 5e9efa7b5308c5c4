package dev.handoff.admin.stats;

import dev.handoff.http.Refusal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongBinaryOperator;

/**
 * What was counted: since the start, when nothing ever gets less, or between two moments.
 *
 * @param refused by the rule that was broken; these are no requests
 * @param unrouted answers to requests that no pool got
 * @param pools by name; those that are gone stay
 */
public record Totals(
        ConnectionTotals connections,
        RequestTotals requests,
        CountsBy<Refusal> refused,
        ResponseTotals unrouted,
        SortedMap<String, PoolTotals> pools,
        List<LoopTotals> loops) {

    static final LongBinaryOperator MINUS = (later, earlier) -> later - earlier;

    public Totals {
        pools = Collections.unmodifiableSortedMap(new TreeMap<>(pools));
        loops = List.copyOf(loops);
    }

    /** To requests of all pools and of none. */
    public ResponseTotals responses() {
        ResponseTotals sum = unrouted;
        for (PoolTotals pool : pools.values()) {
            sum = sum.plus(pool.responses());
        }
        return sum;
    }

    /** Of other loops than these. */
    Totals plus(Totals others) {
        SortedMap<String, PoolTotals> allPools = new TreeMap<>(pools);
        others.pools.forEach((name, pool) -> allPools.merge(name, pool, PoolTotals::plus));
        List<LoopTotals> allLoops = new ArrayList<>(loops);
        allLoops.addAll(others.loops);
        return new Totals(
                connections.combine(others.connections, Long::sum),
                requests.combine(others.requests, Long::sum),
                refused.combine(others.refused, Long::sum),
                unrouted.plus(others.unrouted),
                allPools,
                allLoops);
    }

    /** What was counted since {@code earlier}, on the same loops. */
    Totals minus(Totals earlier) {
        SortedMap<String, PoolTotals> newPools = new TreeMap<>();
        pools.forEach((name, pool) -> {
            PoolTotals before = earlier.pools.get(name);
            newPools.put(name, before == null ? pool : pool.minus(before));
        });
        List<LoopTotals> newLoops = new ArrayList<>();
        for (int i = 0; i < loops.size(); i++) {
            newLoops.add(loops.get(i).minus(earlier.loops.get(i)));
        }
        return new Totals(
                connections.combine(earlier.connections, MINUS),
                requests.combine(earlier.requests, MINUS),
                refused.combine(earlier.refused, MINUS),
                unrouted.minus(earlier.unrouted),
                newPools,
                newLoops);
    }
}

package dev.handoff.admin.stats;

import dev.handoff.http.Refusal;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.StreamEnd;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was counted: since the start, when nothing ever gets less, or between two moments.
 *
 * @param closed connections, by why they ended
 * @param abandoned requests whose response was no longer wanted; those that neither lost their
 *     client nor the server are answered as well
 * @param streamEnds responses in pieces that ended, by how, and {@code streamDurations} how long
 *     they were, from their head
 * @param closeCodes WebSockets that ended, by the code that closed them, and {@code
 *     webSocketDurations} how long they were open
 * @param refused by the rule that was broken; these are no requests
 * @param unrouted responses to requests that no pool got
 * @param pools by name; those that are gone stay
 */
public record Totals(
        CountsBy<ServerCount> counts,
        CountsBy<ConnectionEnd> closed,
        CountsBy<Abandonment> abandoned,
        CountsBy<StreamEnd> streamEnds,
        Durations streamDurations,
        CountsBy<String> closeCodes,
        Durations webSocketDurations,
        CountsBy<Refusal> refused,
        ResponseTotals unrouted,
        SortedMap<String, PoolTotals> pools,
        List<LoopTotals> loops) {
    public Totals {
        pools = Collections.unmodifiableSortedMap(new TreeMap<>(pools));
        loops = List.copyOf(loops);
    }

    public long of(ServerCount count) {
        return counts.of(count);
    }

    /** How many connections are open, if these are totals since the start. */
    public long openConnections() {
        return of(ServerCount.ACCEPTED) - closed.total();
    }

    /** How many requests have no response yet, if these are totals since the start. */
    public long requestsInFlight() {
        long responses = unrouted.total();
        for (PoolTotals pool : pools.values()) {
            responses += pool.responses().total();
        }
        long unanswered =
                abandoned.of(Abandonment.CLIENT_GONE)
                        + abandoned.of(Abandonment.SERVER_STOPPED)
                        // The refusal of the content is their response, and counts as such.
                        + abandoned.of(Abandonment.CONTENT_CUT);
        return of(ServerCount.RECEIVED) - responses - unanswered;
    }

    /** How many responses in pieces are under way, if these are totals since the start. */
    public long openStreams() {
        return of(ServerCount.STREAMS_BEGUN) - streamEnds.total();
    }

    /** How many WebSockets are open, if these are totals since the start. */
    public long openWebSockets() {
        return of(ServerCount.WEBSOCKETS_OPENED) - closeCodes.total();
    }

    /** To requests of all pools and of none. */
    public ResponseTotals responses() {
        ResponseTotals sum = unrouted;
        for (PoolTotals pool : pools.values()) {
            sum = sum.combine(pool.responses(), Combination.SUM);
        }
        return sum;
    }

    /** Adds what other loops than these counted. */
    Totals plus(Totals others) {
        List<LoopTotals> allLoops = new ArrayList<>(loops);
        allLoops.addAll(others.loops);
        return combine(others, Combination.SUM, allLoops);
    }

    /** What was counted since {@code earlier}, on the same loops. */
    Totals minus(Totals earlier) {
        List<LoopTotals> newLoops = new ArrayList<>();
        for (int i = 0; i < loops.size(); i++) {
            newLoops.add(loops.get(i).minus(earlier.loops.get(i)));
        }
        return combine(earlier, Combination.DIFFERENCE, newLoops);
    }

    /** Pools never vanish from totals: one that only the other has is one of other loops. */
    private Totals combine(Totals other, Combination how, List<LoopTotals> combinedLoops) {
        SortedMap<String, PoolTotals> combinedPools = new TreeMap<>(pools);
        other.pools.forEach((name, pool) ->
                combinedPools.merge(name, pool, (one, two) -> one.combine(two, how)));
        return new Totals(
                counts.combine(other.counts, how),
                closed.combine(other.closed, how),
                abandoned.combine(other.abandoned, how),
                streamEnds.combine(other.streamEnds, how),
                how.of(streamDurations, other.streamDurations),
                closeCodes.combine(other.closeCodes, how),
                how.of(webSocketDurations, other.webSocketDurations),
                refused.combine(other.refused, how),
                unrouted.combine(other.unrouted, how),
                combinedPools,
                combinedLoops);
    }
}

package dev.handoff.admin.stats;

import dev.handoff.process.dispatch.Rejection;

/**
 * What came of the requests for one pool, or for several of the same name that followed each other.
 *
 * @param handed what came of those that were handed to workers
 * @param rejected those that got no worker
 * @param exits how workers ended
 * @param turnedAway those who connected and were not let in
 * @param responses to the pool's clients, be they the workers' or the core's own
 * @param waits from the whole request until it was handed to a worker
 * @param handling from then until the worker answered, be it too late
 */
public record PoolTotals(
        HandedTotals handed,
        CountsBy<Rejection> rejected,
        CountsBy<WorkerEnd> exits,
        long turnedAway,
        ResponseTotals responses,
        Durations waits,
        Durations handling) {

    static final PoolTotals NONE = new PoolCounters().totals(ResponseTotals.NONE);

    /** Of a pool of which only this is known where it is counted. */
    static PoolTotals of(ResponseTotals responses) {
        return new PoolTotals(
                NONE.handed, NONE.rejected, NONE.exits, 0, responses, NONE.waits, NONE.handling);
    }

    PoolTotals plus(PoolTotals other) {
        return new PoolTotals(
                handed.combine(other.handed, Long::sum),
                rejected.combine(other.rejected, Long::sum),
                exits.combine(other.exits, Long::sum),
                turnedAway + other.turnedAway,
                responses.plus(other.responses),
                waits.plus(other.waits),
                handling.plus(other.handling));
    }

    PoolTotals minus(PoolTotals earlier) {
        return new PoolTotals(
                handed.combine(earlier.handed, Totals.MINUS),
                rejected.combine(earlier.rejected, Totals.MINUS),
                exits.combine(earlier.exits, Totals.MINUS),
                turnedAway - earlier.turnedAway,
                responses.minus(earlier.responses),
                waits.minus(earlier.waits),
                handling.minus(earlier.handling));
    }
}

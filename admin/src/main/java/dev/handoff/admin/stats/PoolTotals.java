package dev.handoff.admin.stats;

import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.protocol.CancelReason;

/**
 * What came of the requests for one pool, or for several of the same name that followed each other.
 *
 * @param cancelled requests that a worker was told to give up, however they ended
 * @param rejected requests that got no worker
 * @param exits how workers ended
 * @param responses to the pool's clients, made by workers or by the core itself
 * @param waits from the whole request until it was handed to a worker; a request that goes to
 *     another worker waits anew
 * @param handling from then until the worker's response, also if it came too late
 */
public record PoolTotals(
        CountsBy<PoolCount> counts,
        CountsBy<CancelReason> cancelled,
        CountsBy<Rejection> rejected,
        CountsBy<WorkerEnd> exits,
        ResponseTotals responses,
        Durations waits,
        Durations handling) {

    static final PoolTotals NONE =
            new PoolTotals(
                    new EnumCounters<>(PoolCount.class).totals(),
                    new EnumCounters<>(CancelReason.class).totals(),
                    new EnumCounters<>(Rejection.class).totals(),
                    new EnumCounters<>(WorkerEnd.class).totals(),
                    ResponseTotals.NONE,
                    Durations.NONE,
                    Durations.NONE);

    /** The same with other responses. */
    PoolTotals withResponses(ResponseTotals others) {
        return new PoolTotals(counts, cancelled, rejected, exits, others, waits, handling);
    }

    PoolTotals combine(PoolTotals other, Combination how) {
        return new PoolTotals(
                counts.combine(other.counts, how),
                cancelled.combine(other.cancelled, how),
                rejected.combine(other.rejected, how),
                exits.combine(other.exits, how),
                responses.combine(other.responses, how),
                how.of(waits, other.waits),
                how.of(handling, other.handling));
    }
}

package dev.handoff.admin.stats;

/**
 * The counts of one event loop.
 *
 * @param index from 0
 * @param opened clients' connections that were given to this loop
 * @param closed those of them that ended
 * @param requests whole ones that came on them
 * @param turns how long each turn worked: an event that comes meanwhile waits so long at most
 */
public record LoopTotals(int index, long opened, long closed, long requests, Durations turns) {

    /** How many connections live here, if these are totals since the start. */
    public long open() {
        return opened - closed;
    }

    LoopTotals minus(LoopTotals earlier) {
        return new LoopTotals(
                index,
                opened - earlier.opened,
                closed - earlier.closed,
                requests - earlier.requests,
                turns.minus(earlier.turns));
    }
}

package dev.handoff.admin.stats;

import dev.handoff.loop.LoopListener;
import java.io.IOException;

/** Counts the turns of one loop. Belongs to that loop's thread. */
final class TurnCounters implements LoopListener {
    private final DurationRecorder turns = new DurationRecorder();
    private final EnumCounters<ServerCount> counts;

    /**
     * @param counts those of the loop, which others of its counters write too
     */
    TurnCounters(EnumCounters<ServerCount> counts) {
        this.counts = counts;
    }

    Durations turns() {
        return turns.copy();
    }

    @Override
    public void onTurn(long waitedNanos, long workedNanos) {
        turns.record(workedNanos);
    }

    /** Counts clients' sockets and workers' alike. */
    @Override
    public void onAcceptFailed(IOException failure) {
        counts.count(ServerCount.ACCEPT_FAILURES);
    }
}

package dev.handoff.admin.stats;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.LoopListener;
import java.io.IOException;

/** Counts the turns of one loop. Belongs to that loop's thread, and writes nothing else. */
final class TurnCounters implements LoopListener {
    private final DurationRecorder turns = new DurationRecorder();
    private long acceptFailures;

    Durations turns() {
        return turns.copy();
    }

    /** Of clients' sockets and workers' alike. */
    long acceptFailures() {
        return acceptFailures;
    }

    @Override
    public void onTurn(EventLoop loop, long waitedNanos, long workedNanos) {
        turns.record(workedNanos);
    }

    @Override
    public void onAcceptFailed(EventLoop loop, IOException failure) {
        acceptFailures++;
    }
}

package dev.handoff.admin.stats;

import dev.handoff.process.PoolListener;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.dispatch.Worker;
import dev.handoff.process.protocol.CancelReason;

/**
 * Counts what happens in the pools of one name on one loop. They follow each other, and the counts
 * of a pool that is gone stay. Belongs to that loop's thread.
 */
final class PoolCounters implements PoolListener {
    private final DurationRecorder waits = new DurationRecorder();
    private final DurationRecorder handling = new DurationRecorder();
    private final EnumCounters<PoolCount> counts = new EnumCounters<>(PoolCount.class);
    private final EnumCounters<CancelReason> cancelled = new EnumCounters<>(CancelReason.class);
    private final EnumCounters<Rejection> rejected = new EnumCounters<>(Rejection.class);
    private final EnumCounters<WorkerEnd> exits = new EnumCounters<>(WorkerEnd.class);

    /**
     * @param responses to the pool's clients, which other counters count
     */
    PoolTotals totals(ResponseTotals responses) {
        return new PoolTotals(
                counts.totals(),
                cancelled.totals(),
                rejected.totals(),
                exits.totals(),
                responses,
                waits.copy(),
                handling.copy());
    }

    @Override
    public void onDispatched(Worker worker, long waitNanos) {
        counts.count(PoolCount.DISPATCHED);
        waits.record(waitNanos);
    }

    @Override
    public void onAnswered(Worker worker, long handlerNanos) {
        counts.count(PoolCount.RESPONSES);
        handling.record(handlerNanos);
    }

    @Override
    public void onAnsweredLate(Worker worker, long handlerNanos) {
        counts.count(PoolCount.LATE_RESPONSES);
        handling.record(handlerNanos);
    }

    @Override
    public void onGivenBack(Worker worker) {
        counts.count(PoolCount.GIVEN_BACK);
    }

    @Override
    public void onLost(Worker worker) {
        counts.count(PoolCount.LOST);
    }

    @Override
    public void onHandlerFailure(Worker worker, long id, String message) {
        counts.count(PoolCount.FAILURES);
    }

    @Override
    public void onCancelled(Worker worker, CancelReason reason) {
        cancelled.count(reason);
    }

    @Override
    public void onUnknownResponse(Worker worker, long id) {
        counts.count(PoolCount.UNKNOWN_RESPONSES);
    }

    @Override
    public void onRejected(Rejection reason, long limit) {
        rejected.count(reason);
    }

    @Override
    public void onLeft(Worker worker, Departure departure, int lostRequests) {
        exits.count(WorkerEnd.of(departure.reason()));
    }

    @Override
    public void onTurnedAway(String code, String message) {
        counts.count(PoolCount.TURNED_AWAY);
    }

    @Override
    public void onNeverJoined(String worker) {
        exits.count(WorkerEnd.NEVER_JOINED);
    }

    @Override
    public void onKilledBeforeItJoined(String worker) {
        exits.count(WorkerEnd.KILLED);
    }
}

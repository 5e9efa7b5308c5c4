package dev.handoff.admin.stats;

import dev.handoff.process.PoolListener;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.dispatch.Worker;
import dev.handoff.process.protocol.CancelReason;

/**
 * Counts what happens in the pools of one name that live on one loop, one after the other: what a
 * pool that is gone counted stays. Belongs to that loop's thread, and writes nothing else.
 */
final class PoolCounters implements PoolListener {
    private final DurationRecorder waits = new DurationRecorder();
    private final DurationRecorder handling = new DurationRecorder();
    private final ReasonCounters<CancelReason> cancelled = new ReasonCounters<>(CancelReason.class);
    private final ReasonCounters<Rejection> rejected = new ReasonCounters<>(Rejection.class);
    private final ReasonCounters<WorkerEnd> exits = new ReasonCounters<>(WorkerEnd.class);
    private long dispatched;
    private long answered;
    private long answeredLate;
    private long givenBack;
    private long lost;
    private long failures;
    private long unknownIds;
    private long turnedAway;

    /**
     * @param responses to the pool's clients, which other counters count
     */
    PoolTotals totals(ResponseTotals responses) {
        return new PoolTotals(
                new HandedTotals(
                        dispatched,
                        answered,
                        answeredLate,
                        givenBack,
                        lost,
                        failures,
                        cancelled.totals(),
                        unknownIds),
                rejected.totals(),
                exits.totals(),
                turnedAway,
                responses,
                waits.copy(),
                handling.copy());
    }

    @Override
    public void onDispatched(Worker worker, long waitNanos) {
        dispatched++;
        waits.record(waitNanos);
    }

    @Override
    public void onAnswered(Worker worker, long handlerNanos) {
        answered++;
        handling.record(handlerNanos);
    }

    @Override
    public void onAnsweredLate(Worker worker, long handlerNanos) {
        answeredLate++;
        handling.record(handlerNanos);
    }

    @Override
    public void onGivenBack(Worker worker) {
        givenBack++;
    }

    @Override
    public void onLost(Worker worker) {
        lost++;
    }

    @Override
    public void onHandlerFailure(Worker worker, long id, String message) {
        failures++;
    }

    @Override
    public void onCancelled(Worker worker, CancelReason reason) {
        cancelled.count(reason);
    }

    @Override
    public void onUnknownId(Worker worker, long id) {
        unknownIds++;
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
        turnedAway++;
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

package dev.handoff.process;

import dev.handoff.process.protocol.CancelReason;

/**
 * Counts what a pool hands to its workers and what comes of it, and tells the pool's listener.
 *
 * <p>Whatever is handed over ends in exactly one of four ways: answered, answered late, given back
 * or lost. Belongs to the thread of the pool's loop.
 */
final class DispatchLedger {
    private final PoolListener listener;
    private long dispatched;
    private long answered;
    private long answeredLate;
    private long givenBack;
    private long lost;
    private long cancelled;
    private long unknownIds;

    DispatchLedger(PoolListener listener) {
        this.listener = listener;
    }

    void dispatched(WorkerConnection worker, long waitNanos) {
        dispatched++;
        worker.tally().requests++;
        listener.onDispatched(worker, waitNanos);
    }

    void answered(WorkerConnection worker, long handlerNanos) {
        answered++;
        listener.onAnswered(worker, handlerNanos);
    }

    void answeredLate(WorkerConnection worker, long handlerNanos) {
        answeredLate++;
        worker.tally().lateResponses++;
        listener.onAnsweredLate(worker, handlerNanos);
    }

    /** It answers so, or gives the request back: that is counted for itself. */
    void failed(WorkerConnection worker, long id, String message) {
        worker.tally().failures++;
        listener.onHandlerFailure(worker, id, Printable.beginning(message));
    }

    void givenBack(WorkerConnection worker) {
        givenBack++;
        listener.onGivenBack(worker);
    }

    void lost(WorkerConnection worker) {
        lost++;
        listener.onLost(worker);
    }

    void cancelled(WorkerConnection worker, CancelReason reason) {
        cancelled++;
        worker.tally().cancels++;
        listener.onCancelled(worker, reason);
    }

    void unknownId(WorkerConnection worker, long id) {
        unknownIds++;
        listener.onUnknownId(worker, id);
    }

    PoolSnapshot.Counts counts() {
        return new PoolSnapshot.Counts(
                dispatched, answered, answeredLate, givenBack, lost, cancelled, unknownIds);
    }
}

package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.protocol.CancelReason;

/** Counts what a pool tells, and holds it to the windows of its workers as it does. */
final class Tally implements PoolListener {
    private long dispatched;
    private long answered;
    private long answeredLate;
    private long givenBack;
    private long lost;
    private long cancelled;
    private long unknownIds;
    private boolean overloaded;

    void assertSays(PoolSnapshot.Counts counts) {
        assertEquals(
                new PoolSnapshot.Counts(
                        dispatched, answered, answeredLate, givenBack, lost, cancelled, unknownIds),
                counts);
    }

    boolean isOverloaded() {
        return overloaded;
    }

    @Override
    public void onDispatched(WorkerConnection worker, long waitNanos) {
        dispatched++;
        assertTrue(worker.inFlight() <= worker.window(), "the window is exceeded");
    }

    @Override
    public void onAnswered(WorkerConnection worker, long handlerNanos) {
        answered++;
    }

    @Override
    public void onAnsweredLate(WorkerConnection worker, long handlerNanos) {
        answeredLate++;
    }

    @Override
    public void onGivenBack(WorkerConnection worker) {
        givenBack++;
    }

    @Override
    public void onLost(WorkerConnection worker) {
        lost++;
    }

    @Override
    public void onCancelled(WorkerConnection worker, CancelReason reason) {
        cancelled++;
    }

    @Override
    public void onUnknownId(WorkerConnection worker, long id) {
        unknownIds++;
    }

    @Override
    public void onOverload(boolean present) {
        assertTrue(overloaded != present, "told twice");
        overloaded = present;
    }
}

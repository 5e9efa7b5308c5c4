package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.dispatch.Worker;
import dev.handoff.process.protocol.CancelReason;

/** Counts what a pool tells, and checks that no worker has more than it takes at once. */
public final class Tally implements PoolListener {
    private long dispatched;
    private long answered;
    private long answeredLate;
    private long givenBack;
    private long lost;
    private long cancelled;
    private long unknownResponses;
    private boolean overloaded;

    /** How often each was told. */
    public record Counts(
            long dispatched,
            long answered,
            long answeredLate,
            long givenBack,
            long lost,
            long cancelled,
            long unknownResponses) {}

    public Counts counts() {
        return new Counts(
                dispatched, answered, answeredLate, givenBack, lost, cancelled, unknownResponses);
    }

    public boolean isOverloaded() {
        return overloaded;
    }

    @Override
    public void onDispatched(Worker worker, long waitNanos) {
        dispatched++;
        assertTrue(worker.inFlight() <= worker.concurrency(), "more than it takes at once");
    }

    @Override
    public void onAnswered(Worker worker, long handlerNanos) {
        answered++;
    }

    @Override
    public void onAnsweredLate(Worker worker, long handlerNanos) {
        answeredLate++;
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
    public void onCancelled(Worker worker, CancelReason reason) {
        cancelled++;
    }

    @Override
    public void onUnknownResponse(Worker worker, long id) {
        unknownResponses++;
    }

    @Override
    public void onOverload(boolean present) {
        assertTrue(overloaded != present, "told twice");
        overloaded = present;
    }
}

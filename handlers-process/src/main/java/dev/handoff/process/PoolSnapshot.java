package dev.handoff.process;

import java.util.List;

/**
 * How a pool was doing at one moment.
 *
 * @param window how many requests its workers take at once, all together
 * @param inFlight requests that workers hold
 * @param queued requests that wait, and {@code queuedBytes} their size
 * @param queueLimit how many may wait
 * @param overloaded whether more comes than the workers can do, so that the newest goes first
 * @param counts since the pool is there
 */
public record PoolSnapshot(
        String name,
        int window,
        int inFlight,
        int queued,
        long queuedBytes,
        int queueLimit,
        boolean overloaded,
        boolean draining,
        Counts counts,
        List<Worker> workers) {

    public PoolSnapshot {
        workers = List.copyOf(workers);
    }

    /**
     * What came of the requests that were handed to workers: {@code dispatched} is the sum of those
     * answered, answered late, given back, lost, and in flight.
     *
     * @param answeredLate after they were cancelled
     * @param givenBack not taken after all: they went back to the queue
     * @param lost with a worker that went away
     * @param cancelled of those dispatched, however they ended
     * @param unknownIds answers to what was never asked, or had been answered already
     */
    public record Counts(
            long dispatched,
            long answered,
            long answeredLate,
            long givenBack,
            long lost,
            long cancelled,
            long unknownIds) {}

    /**
     * One connected worker.
     *
     * @param pid as it told it; 0 if it did not
     * @param state {@code ready} or {@code draining}
     */
    public record Worker(
            String id, String name, long pid, String state, int window, int inFlight) {}
}

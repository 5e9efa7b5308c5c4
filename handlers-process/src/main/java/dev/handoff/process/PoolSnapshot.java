package dev.handoff.process;

import java.time.Duration;
import java.util.List;

/**
 * How a pool was doing at one moment.
 *
 * @param window how many requests its workers take at once, all together
 * @param inFlight requests that workers hold
 * @param queued requests that wait, and {@code queuedBytes} their size
 * @param queueLimit how many may wait
 * @param saturated whether the queue is nearly full, or was so and is not half empty again
 * @param overloaded whether more comes than the workers can do, so that the newest goes first
 * @param lastError why the last reload or recycling kept the old worker; empty if it did not
 * @param counts since the pool is there
 * @param workers those that are connected, then processes that are not
 */
public record PoolSnapshot(
        String name,
        int window,
        int inFlight,
        int queued,
        long queuedBytes,
        int queueLimit,
        boolean saturated,
        boolean overloaded,
        boolean draining,
        String lastError,
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
     * One worker, or one process that is to become one.
     *
     * @param pid as the core knows it or the worker told it; otherwise 0
     * @param state {@code starting}, {@code ready}, {@code draining}, {@code leaving} (it is to
     *     end) or {@code waiting} (to be started again)
     * @param restarts how often it was started again after it had ended by itself
     * @param startedSecond when its process was started, or it came by itself, in seconds since
     *     1970; 0 while there is none
     * @param oldestRequest for how long it has the request that it got first; zero without one
     * @param memoryBytes what its process held when it was last looked at; 0 if that is not known
     * @param lastError why a process of this name last failed; empty if none has
     */
    public record Worker(
            String id,
            String name,
            long pid,
            String state,
            int window,
            int inFlight,
            int restarts,
            long startedSecond,
            Duration oldestRequest,
            long memoryBytes,
            String lastError) {}
}

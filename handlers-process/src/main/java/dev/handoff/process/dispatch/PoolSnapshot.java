package dev.handoff.process.dispatch;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a pool was doing at one moment.
 *
 * @param concurrency how many requests its workers take at once, all together
 * @param inFlight requests that workers hold, without the responses in pieces that they have under
 *     way besides their concurrency
 * @param streams responses in pieces that workers have under way
 * @param queued requests that wait, and {@code queuedBytes} their size
 * @param queueLimit how many may wait, and {@code queueLimitBytes} how much
 * @param oldestWaitNanos the age of the request that waits longest; 0 if none waits
 * @param saturated whether the queue is nearly full, or was so and is not half empty again
 * @param overloaded whether more comes than the workers can do, so that the newest goes first
 * @param lastError why the last reload or recycling kept the old worker, or why the core
 *     disconnected the last worker that it had not started; empty if nothing was wrong, or a worker
 *     got ready since
 * @param workers those that are connected, then processes that are not
 */
public record PoolSnapshot(
        String name,
        int concurrency,
        int inFlight,
        int streams,
        int queued,
        long queuedBytes,
        int queueLimit,
        long queueLimitBytes,
        long oldestWaitNanos,
        boolean saturated,
        boolean overloaded,
        boolean draining,
        String lastError,
        List<Worker> workers) {

    public PoolSnapshot {
        workers = List.copyOf(workers);
    }

    /**
     * Counts what one worker did since its place in the pool exists, over all its processes.
     *
     * @param requests handed to it
     * @param failures its responses that say that the handler failed
     * @param cancels requests that were cancelled while it held them
     * @param lateResponses responses to requests that had been cancelled
     */
    public record WorkerCounts(long requests, long failures, long cancels, long lateResponses) {

        /** The difference to earlier counts of the same worker. */
        WorkerCounts minus(WorkerCounts earlier) {
            return new WorkerCounts(
                    requests - earlier.requests,
                    failures - earlier.failures,
                    cancels - earlier.cancels,
                    lateResponses - earlier.lateResponses);
        }
    }

    /**
     * One worker, or one process that is to become one.
     *
     * @param serial the number of its place. No two places of one server's pools have the same, so
     *     it tells this worker from a later one of the same name
     * @param pid as the core knows it or the worker told it; otherwise 0
     * @param host where it runs, as it told; empty if it did not
     * @param state {@code starting}, {@code ready}, {@code draining}, {@code leaving} (it is to
     *     end) or {@code waiting} (to be started again)
     * @param inFlight requests that it holds, without the responses in pieces that it has under way
     *     besides its concurrency
     * @param streams responses in pieces that it has under way
     * @param oldestNanos the age of the oldest request that it holds; 0 if it holds none
     * @param startedAt when its process was started, or when it joined if the core did not start
     *     it, to the second; null if it has none
     * @param restarts how often it was started again after it had ended by itself
     * @param memoryBytes what its process held when it was last looked at, or what it told if the
     *     core did not start it; 0 if that is not known
     * @param lastError why a process of this name last failed; empty if none has
     */
    public record Worker(
            String id,
            String name,
            long serial,
            long pid,
            String host,
            String state,
            int concurrency,
            int inFlight,
            int streams,
            long oldestNanos,
            WorkerCounts counts,
            @Nullable Instant startedAt,
            int restarts,
            long memoryBytes,
            String lastError) {

        /** The counts since then; all of them if another worker has got the name meanwhile. */
        public WorkerCounts countsSince(Worker earlier) {
            return serial == earlier.serial ? counts.minus(earlier.counts) : counts;
        }
    }
}

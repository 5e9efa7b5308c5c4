package dev.handoff.process.dispatch;

import dev.handoff.process.protocol.FrameLimits;
import java.time.Duration;

/**
 * Limits what one pool may hold, and how long its waits are.
 *
 * @param queueRequests how many requests may wait for a worker; 0 for four times the most that all
 *     workers have taken at once, and at least 1000
 * @param queueBytes how much memory all waiting requests may take. One that is larger may wait
 *     alone. 0 if none may wait
 * @param queueTimeout how long a request waits for a worker; then 503
 * @param noWorkerGrace how long a request waits while no worker is there at all; then 503
 * @param cancelGrace how long a worker may still hold a request that was cancelled, or whose
 *     deadline has passed; then it is stuck
 * @param writeTimeout how long a worker may need for 64 KiB of its frames; then it is stuck
 * @param fromWorker the largest frames that workers may send
 * @param drainTimeout how long responses and content in pieces may go on when their worker is to
 *     leave
 * @param replaySafeMethods whether a GET, HEAD or OPTIONS is handed over once more when its worker
 *     is lost, though that worker may have begun with it
 * @param contentAsItComes whether a request is handed over before its content is whole
 */
public record PoolLimits(
        int queueRequests,
        long queueBytes,
        Duration queueTimeout,
        Duration noWorkerGrace,
        Duration cancelGrace,
        Duration writeTimeout,
        FrameLimits fromWorker,
        Duration drainTimeout,
        boolean replaySafeMethods,
        boolean contentAsItComes) {

    private static final int LEAST_QUEUE_REQUESTS = 1000;
    private static final int QUEUED_PER_CONCURRENCY = 4;
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

    public static final PoolLimits DEFAULT =
            new PoolLimits(
                    0,
                    // Half of what a server lets all requests hold, unless its limits say
                    // otherwise: one pool that cannot keep up leaves the others room.
                    Runtime.getRuntime().maxMemory() / 16,
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    FrameLimits.ofBody(32 * 1024 * 1024));

    /**
     * Limits with the usual time for a drain. Safe methods are not replayed, and a request is
     * handed over when its content is whole.
     */
    public PoolLimits(
            int queueRequests,
            long queueBytes,
            Duration queueTimeout,
            Duration noWorkerGrace,
            Duration cancelGrace,
            Duration writeTimeout,
            FrameLimits fromWorker) {
        this(
                queueRequests,
                queueBytes,
                queueTimeout,
                noWorkerGrace,
                cancelGrace,
                writeTimeout,
                fromWorker,
                DRAIN_TIMEOUT,
                false,
                false);
    }

    public PoolLimits {
        if (queueRequests < 0 || queueBytes < 0) {
            throw new IllegalArgumentException("a queue of " + queueRequests + ", " + queueBytes);
        }
    }

    /** These limits, with the replay of safe methods or without. */
    public PoolLimits withReplaySafeMethods(boolean replay) {
        return with(drainTimeout, replay, contentAsItComes);
    }

    /** These limits, with another time for a drain. */
    public PoolLimits withDrainTimeout(Duration timeout) {
        return with(timeout, replaySafeMethods, contentAsItComes);
    }

    /** These limits, for requests that are handed over before their content is whole or not. */
    public PoolLimits withContentAsItComes(boolean asItComes) {
        return with(drainTimeout, replaySafeMethods, asItComes);
    }

    private PoolLimits with(Duration timeout, boolean replay, boolean asItComes) {
        return new PoolLimits(
                queueRequests,
                queueBytes,
                queueTimeout,
                noWorkerGrace,
                cancelGrace,
                writeTimeout,
                fromWorker,
                timeout,
                replay,
                asItComes);
    }

    /** How many requests may wait while the workers take {@code concurrency} at once. */
    int queueRequests(int concurrency) {
        return queueRequests > 0
                ? queueRequests
                : Math.max(LEAST_QUEUE_REQUESTS, QUEUED_PER_CONCURRENCY * concurrency);
    }
}

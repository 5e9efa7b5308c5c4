package dev.handoff.process.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what one worker did, over all processes and connections of its place. Belongs to the
 * thread of the pool's loop.
 */
public final class WorkerTally {
    private static final AtomicLong SERIALS = new AtomicLong();

    private final long serial = SERIALS.incrementAndGet();

    long requests;
    long failures;
    long cancels;
    long lateResponses;

    /**
     * A number that is never used again. A name may be, also by a pool that follows another of its
     * name.
     */
    public long serial() {
        return serial;
    }

    public PoolSnapshot.WorkerCounts counts() {
        return new PoolSnapshot.WorkerCounts(requests, failures, cancels, lateResponses);
    }
}

package dev.handoff.process;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What one worker did, over all processes and connections of its slot. Belongs to the thread of the
 * pool's loop.
 */
final class WorkerTally {
    private static final AtomicLong SERIALS = new AtomicLong();

    /** Names are used again, also by a pool that follows another of its name; this is not. */
    final long serial = SERIALS.incrementAndGet();

    long requests;
    long failures;
    long cancels;
    long lateResponses;

    PoolSnapshot.WorkerCounts counts() {
        return new PoolSnapshot.WorkerCounts(requests, failures, cancels, lateResponses);
    }
}

package dev.handoff.process;

/**
 * What one worker did, over all processes and connections of its slot. Belongs to the thread of the
 * pool's loop.
 */
final class WorkerTally {
    long requests;
    long failures;
    long cancels;
    long lateResponses;

    PoolSnapshot.WorkerCounts counts() {
        return new PoolSnapshot.WorkerCounts(requests, failures, cancels, lateResponses);
    }
}

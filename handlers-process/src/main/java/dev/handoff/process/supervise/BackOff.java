package dev.handoff.process.supervise;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * How long to wait before a process is started again: not at all after a first crash, then longer
 * each time, with jitter so that many do not come back in step. Belongs to the pool's loop.
 */
final class BackOff {
    static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * For a process that has served, if only for a moment: it can start, so some request or other
     * ends it, and those of others wait less than {@code --no-worker-grace} for the next.
     */
    static final long LONGEST_AFTER_SERVING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A process that served for so long counts as healthy: its crash is a first one. */
    static final long HEALTHY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RandomGenerator random;
    private int failures;

    BackOff(RandomGenerator random) {
        this.random = random;
    }

    /**
     * @param servedNanos how long the process that ended had taken requests; 0 if it never did
     * @return nanoseconds to wait
     */
    long next(long servedNanos) {
        if (servedNanos >= HEALTHY_NANOS) {
            failures = 0;
        }
        failures++;
        if (failures == 1 && servedNanos > 0) {
            return 0;
        }
        long longest = servedNanos > 0 ? LONGEST_AFTER_SERVING_NANOS : LONGEST_NANOS;
        long delay = longest;
        int doublings = Math.max(0, failures - 2);
        if (doublings < Long.numberOfLeadingZeros(FIRST_NANOS) - 1) {
            delay = Math.min(longest, FIRST_NANOS << doublings);
        }
        return delay / 2 + random.nextLong(delay / 2 + 1);
    }
}

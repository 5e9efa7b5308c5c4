package dev.handoff.process.supervise;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When a process is replaced by a new one though nothing is wrong with it. Zero is never.
 *
 * @param requests answered by one process
 * @param age since it got ready
 * @param memoryBytes resident, of the process alone; looked at every few seconds, on Linux only
 */
public record RecycleLimits(long requests, Duration age, long memoryBytes) {
    public static final RecycleLimits NONE = new RecycleLimits(0, Duration.ZERO, 0);

    /** Each process has limits of its own, this far around the given ones. */
    private static final double JITTER = 0.1;

    public RecycleLimits {
        if (requests < 0 || age.isNegative() || memoryBytes < 0) {
            throw new IllegalArgumentException(
                    "recycled after " + requests + ", " + age + ", " + memoryBytes);
        }
    }

    /** The limits of one process: a little more or less, so that many do not end at once. */
    RecycleLimits jittered(RandomGenerator random) {
        return new RecycleLimits(
                around(requests, random),
                Duration.ofNanos(around(age.toNanos(), random)),
                around(memoryBytes, random));
    }

    private static long around(long limit, RandomGenerator random) {
        if (limit == 0) {
            return 0;
        }
        return Math.max(1, Math.round(limit * random.nextDouble(1 - JITTER, 1 + JITTER)));
    }
}

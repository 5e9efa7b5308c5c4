package dev.handoff.launcher.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How long a worker waits before each time that it connects again. A busy machine makes a pause
 * longer, never shorter: so the shortest of several tells what the worker chose.
 */
final class Pauses {
    private static final int TOGETHER = 3;
    private static final int IN_A_ROW = 2;

    private static final Duration LEAST_OF_THREE = Duration.ofMillis(100);

    private static final Duration GROWN_BY = Duration.ofMillis(300);

    private final List<Long> nanos = new ArrayList<>();

    void add(long pauseNanos) {
        nanos.add(pauseNanos);
    }

    /** Whether the last three together are shorter than a worker may wait. */
    boolean areTooShort() {
        return nanos.size() >= TOGETHER && lastThreeNanos() < LEAST_OF_THREE.toNanos();
    }

    long lastThreeNanos() {
        return last(TOGETHER).stream().mapToLong(Long::longValue).sum();
    }

    /** Whether each of the last two is longer than one before them. */
    boolean haveGrown() {
        if (nanos.size() <= IN_A_ROW) {
            return false;
        }
        long before = Collections.min(nanos.subList(0, nanos.size() - IN_A_ROW));
        long now = Collections.min(last(IN_A_ROW));
        return now >= 2 * before && now >= before + GROWN_BY.toNanos();
    }

    private List<Long> last(int count) {
        return nanos.subList(nanos.size() - count, nanos.size());
    }
}

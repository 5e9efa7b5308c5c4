package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationsTest {
    private static final double PERCENT = 0.01;

    private final DurationRecorder recorder = new DurationRecorder();

    @Test
    void knowsNothingOfNothing() {
        assertEquals(0, Durations.NONE.count());
        assertEquals(0, Durations.NONE.meanMillis());
        assertEquals(0, Durations.NONE.maxMillis());
        assertEquals(0, Durations.NONE.countUpTo(1));
    }

    @Test
    void isExactToAPercent() {
        for (int millis = 1; millis <= 1000; millis++) {
            recorder.record(Duration.ofMillis(millis).toNanos());
        }
        Durations durations = recorder.copy();
        assertEquals(1000, durations.count());
        assertEquals(500, durations.percentileMillis(50), 500 * PERCENT);
        assertEquals(999, durations.percentileMillis(99.9), 999 * PERCENT);
        assertEquals(1000, durations.maxMillis(), 1000 * PERCENT);
    }

    @Test
    void addsUpWithoutRounding() {
        recorder.record(1);
        recorder.record(999);
        assertEquals(1e-6, recorder.copy().totalSeconds());
        assertEquals(5e-4, recorder.copy().meanMillis());
    }

    @Test
    void takesAnHourForLongerAndNothingForLess() {
        recorder.record(Duration.ofHours(1).toNanos());
        recorder.record(Duration.ofHours(2).toNanos());
        recorder.record(-1);
        assertEquals(3, recorder.copy().count());
        assertEquals(3_600_000, recorder.copy().maxMillis(), 36_000);
        assertEquals(3.0 * 3600, recorder.copy().totalSeconds());
    }

    @Test
    void countsThoseUpToABound() {
        recorder.record(Duration.ofMillis(5).toNanos());
        recorder.record(Duration.ofMillis(50).toNanos());
        assertEquals(0, recorder.copy().countUpTo(0.004));
        assertEquals(1, recorder.copy().countUpTo(0.005));
        assertEquals(1, recorder.copy().countUpTo(0.045));
        assertEquals(2, recorder.copy().countUpTo(0.05));
        assertEquals(2, recorder.copy().countUpTo(1e9));
    }

    @Test
    void forgetsTheLongestThatCameBefore() {
        recorder.record(Duration.ofSeconds(5).toNanos());
        Durations before = recorder.copy();
        recorder.record(Duration.ofMillis(1).toNanos());
        Durations since = recorder.copy().minus(before);
        assertEquals(1, since.count());
        assertEquals(1, since.maxMillis(), PERCENT);
        assertEquals(1e-3, since.totalSeconds());
    }
}

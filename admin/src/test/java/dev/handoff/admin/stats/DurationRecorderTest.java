package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thousand pools that have nothing to do are to take little memory. */
class DurationRecorderTest {
    private final DurationRecorder recorder = new DurationRecorder();

    @Test
    void whatIsEmptyTakesNoMemory() {
        assertSame(Durations.NONE, recorder.copy());
        Durations some = one();
        assertSame(some, some.plus(Durations.NONE));
        assertSame(some, Durations.NONE.plus(some));
        assertSame(some, some.minus(Durations.NONE));
        assertSame(Durations.NONE, some.minus(some));
    }

    @Test
    void whatHasNotChangedIsCopiedOnce() {
        Durations first = one();
        assertSame(first, recorder.copy());
        recorder.record(TimeUnit.MILLISECONDS.toNanos(1));
        Durations second = recorder.copy();
        assertNotSame(first, second);
        assertEquals(1, first.count());
        assertEquals(2, second.count());
    }

    private Durations one() {
        recorder.record(TimeUnit.MILLISECONDS.toNanos(1));
        return recorder.copy();
    }
}

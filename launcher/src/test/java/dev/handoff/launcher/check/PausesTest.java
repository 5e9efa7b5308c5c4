package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PausesTest {
    @Test
    void pausesThatDoubleHaveGrown() {
        assertTrue(of(100, 200, 400, 800).haveGrown());
        assertTrue(of(140, 110, 600, 410).haveGrown());
    }

    @Test
    void steadyPausesHaveNotGrown() {
        assertFalse(of(100, 300, 100, 200, 300, 300).haveGrown());
    }

    @Test
    void onePauseThatTheMachineMakesLongIsNoGrowth() {
        assertFalse(of(100, 100, 100, 100, 900).haveGrown());
        assertFalse(of(900, 100, 100, 900, 100, 900).haveGrown());
    }

    @Test
    void fewPausesTellNothing() {
        assertFalse(of(100, 900).haveGrown());
        assertFalse(of(10, 10).areTooShort());
    }

    @Test
    void threePausesOf99MillisecondsTogetherAreTooShort() {
        assertTrue(of(500, 33, 33, 33).areTooShort());
        assertFalse(of(33, 33, 34).areTooShort());
    }

    private static Pauses of(long... millis) {
        Pauses pauses = new Pauses();
        for (long each : millis) {
            pauses.add(Duration.ofMillis(each).toNanos());
        }
        return pauses;
    }
}

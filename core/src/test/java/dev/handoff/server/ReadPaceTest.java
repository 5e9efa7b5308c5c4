package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How slow a client is. */
class ReadPaceTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long now = -5 * SECOND;
    private final ReadPace pace = new ReadPace(() -> now);

    @BeforeEach
    void begin() {
        pace.begin();
    }

    @Test
    void isTheTimeOfTheLastStepOrOfTheOneThatGoesOn() {
        now += 2 * SECOND;
        pace.bodyCame(ReadPace.STEP_BYTES);
        assertEquals(2 * SECOND, pace.slownessNanos());
        now += 3 * SECOND;
        assertEquals(3 * SECOND, pace.slownessNanos());
    }

    @Test
    void doesNotCountTheTimeInWhichItMayNotSend() {
        now += SECOND;
        pace.standStill();
        now += 10 * SECOND;
        assertEquals(SECOND, pace.slownessNanos());
        pace.goOn();
        now += SECOND;
        assertEquals(2 * SECOND, pace.slownessNanos());
        pace.bodyCame(ReadPace.STEP_BYTES);
        assertEquals(2 * SECOND, pace.slownessNanos());
        now += 3 * SECOND;
        assertEquals(3 * SECOND, pace.slownessNanos());
    }

    @Test
    void aStepThatEndsWhileItMayNotSendEndsWithItsTime() {
        now += SECOND;
        pace.standStill();
        now += 10 * SECOND;
        pace.bodyCame(ReadPace.STEP_BYTES);
        now += 10 * SECOND;
        pace.goOn();
        now += 4 * SECOND;
        assertEquals(4 * SECOND, pace.slownessNanos());
    }

    @Test
    void standsStillOnce() {
        pace.standStill();
        now += SECOND;
        pace.standStill();
        now += SECOND;
        pace.goOn();
        pace.goOn();
        assertEquals(0, pace.slownessNanos());
    }
}

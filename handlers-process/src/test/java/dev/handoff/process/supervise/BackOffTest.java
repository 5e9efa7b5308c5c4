package dev.handoff.process.supervise;

import static dev.handoff.process.supervise.BackOff.FIRST_NANOS;
import static dev.handoff.process.supervise.BackOff.HEALTHY_NANOS;
import static dev.handoff.process.supervise.BackOff.LONGEST_AFTER_SERVING_NANOS;
import static dev.handoff.process.supervise.BackOff.LONGEST_NANOS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

final class BackOffTest {
    /** Always the largest jitter: the delay itself. */
    private static final RandomGenerator LARGEST =
            new Random(0) {
                private static final long serialVersionUID = 1;

                @Override
                public long nextLong(long bound) {
                    return bound - 1;
                }
            };

    @Test
    void restartsAtOnceAfterAFirstCrash() {
        assertEquals(0, new BackOff(LARGEST).next(1));
    }

    @Test
    void waitsBeforeAFirstRestartOfWhatNeverServed() {
        assertEquals(FIRST_NANOS, new BackOff(LARGEST).next(0));
    }

    @Test
    void doublesUpToTheLongest() {
        BackOff backOff = new BackOff(LARGEST);
        backOff.next(0);
        for (long expected = FIRST_NANOS; expected < LONGEST_NANOS; expected *= 2) {
            assertEquals(expected, backOff.next(0));
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(LONGEST_NANOS, backOff.next(0));
        }
    }

    @Test
    void beginsAnewAfterAHealthyProcess() {
        BackOff backOff = new BackOff(LARGEST);
        for (int i = 0; i < 5; i++) {
            backOff.next(0);
        }
        assertEquals(16 * FIRST_NANOS, backOff.next(0));
        assertEquals(0, backOff.next(HEALTHY_NANOS));
        assertEquals(FIRST_NANOS, backOff.next(1));
    }

    /** Else whoever knows a request that ends the worker would have the others wait for long. */
    @Test
    void whatHasServedIsBackSoonHoweverOftenItEnds() {
        BackOff backOff = new BackOff(LARGEST);
        for (int i = 0; i < 100; i++) {
            long delay = backOff.next(HEALTHY_NANOS - 1);
            assertTrue(delay <= LONGEST_AFTER_SERVING_NANOS, delay + " ns");
        }
        assertEquals(LONGEST_NANOS, backOff.next(0));
    }

    @Test
    void spreadsOverTheUpperHalf() {
        Random random = new Random(7);
        Set<Long> delays = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            long delay = new BackOff(random).next(0);
            assertTrue(delay >= FIRST_NANOS / 2 && delay <= FIRST_NANOS, delay + " ns");
            delays.add(delay);
        }
        assertTrue(delays.size() > 90, delays.size() + " different ones");
    }
}

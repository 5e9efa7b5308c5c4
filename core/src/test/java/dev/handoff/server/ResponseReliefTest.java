package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ResponseReliefTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void whoHoldsMuchForLongGoesFirst() {
        assertTrue(burden(1_000_000, SECOND) > burden(1_000_000, 0));
        assertTrue(burden(1_000_000, SECOND) > burden(100_000, SECOND));
        assertTrue(burden(300_000, SECOND) > burden(1_000_000, 0));
    }

    /** Else a flood of fresh responses would have all small ones of others cut. */
    @Test
    void aFewBytesThatWaitedLongGoAfterMuchThatHasJustCome() {
        assertTrue(burden(1_000_000, 0) > burden(4, 20 * SECOND));
        assertTrue(burden(1_000_000, 0) > burden(5_000, SECOND));
    }

    private static double burden(long bytes, long stuckNanos) {
        return ResponseRelief.burdenOf(bytes, stuckNanos);
    }
}

package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.process.TestPool;
import org.junit.jupiter.api.Test;

final class PoolLimitsTest {
    @Test
    void lets4WindowsWaitAndAtLeast1000() {
        PoolLimits limits = PoolLimits.DEFAULT;
        assertEquals(1000, limits.queueRequests(0));
        assertEquals(1000, limits.queueRequests(250));
        assertEquals(1004, limits.queueRequests(251));
    }

    @Test
    void anExplicitLimitDoesNotFollowTheWindow() {
        assertEquals(3, TestPool.queueOf(3, 1).queueRequests(1000));
    }

    @Test
    void refusesNegativeLimits() {
        assertThrows(IllegalArgumentException.class, () -> TestPool.queueOf(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> TestPool.queueOf(0, -1));
    }
}

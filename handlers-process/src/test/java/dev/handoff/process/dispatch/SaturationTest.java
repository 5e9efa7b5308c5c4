package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When clients had better go elsewhere. */
final class SaturationTest {
    @Test
    void lastsFromNineTenthsUntilLessThanHalfWaits() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(20, 1_000_000))) {
            List<TestExchange> waiting = new ArrayList<>();
            for (int i = 0; i < 17; i++) {
                waiting.add(pool.get("/"));
            }
            assertFalse(pool.snapshot().saturated());
            waiting.add(pool.get("/"));
            assertTrue(pool.snapshot().saturated());
            abandon(waiting, 8, pool);
            assertEquals(10, pool.snapshot().queued());
            assertTrue(pool.snapshot().saturated());
            abandon(waiting, 1, pool);
            assertFalse(pool.snapshot().saturated());
            waiting.add(pool.get("/"));
            assertFalse(pool.snapshot().saturated());
        }
    }

    @Test
    void isSeenThoughNobodyLookedMeanwhile() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(10, 1_000_000))) {
            List<TestExchange> waiting = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                waiting.add(pool.get("/"));
            }
            abandon(waiting, 3, pool);
            assertTrue(pool.snapshot().saturated());
        }
    }

    @Test
    void countsBytesAsWell() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(100, 1_000))) {
            pool.post("/", Body.of(new byte[700]));
            assertTrue(pool.snapshot().saturated(), pool.snapshot().toString());
        }
    }

    private static void abandon(List<TestExchange> waiting, int count, TestPool pool) {
        for (int i = 0; i < count; i++) {
            waiting.removeLast().abandon(Abandonment.CLIENT_GONE);
        }
        pool.loops.awaitIdle();
    }
}

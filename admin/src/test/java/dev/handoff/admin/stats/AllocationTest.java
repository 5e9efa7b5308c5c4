package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Counting is on the way of every request: it leaves nothing for the collector. */
class AllocationTest {
    private static final int EVENTS = 10_000;
    private static final int MEASUREMENTS = 5;

    private final Counters counters = new Counters(1);
    private final ClientCounters clients = counters.loop(0).clients();
    private final PoolCounters pool = counters.loop(0).pool("default");
    private final TurnCounters turns = counters.loop(0).turns();
    private final ResponseCounters responses = new ResponseCounters();

    @Test
    void allocatesNothingPerRequest() {
        count(1);
        assertEquals(0, allocatedBy(() -> count(EVENTS)) / EVENTS);
    }

    /** It happens on the serving loop, and a histogram is large. */
    @Test
    void aReadingCopiesWhatAPoolHasAndMakesNothingElse() {
        LoopCounters loop = new LoopCounters(0);
        loop.totals();
        long withoutPool = allocatedBy(loop::totals);
        PoolCounters one = loop.pool("default");
        one.totals(ResponseTotals.NONE);
        long copies = allocatedBy(() -> one.totals(ResponseTotals.NONE));
        loop.totals();
        long withPool = allocatedBy(loop::totals);
        assertTrue(
                withPool - withoutPool < copies * 3 / 2,
                () -> (withPool - withoutPool) + " bytes for copies of " + copies);
    }

    /**
     * The least of a few, since the virtual machine allocates on a thread for its own ends, too.
     */
    private static long allocatedBy(Runnable action) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < MEASUREMENTS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            action.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    @SuppressWarnings("NullAway") // Who is counted for is nothing that counters look at.
    private void count(int events) {
        for (int i = 0; i < events; i++) {
            clients.onReceived(100);
            responses.count("GET", 200, 1_000_000L * i);
            clients.onSent(100);
            pool.onDispatched(null, 1000L * i);
            pool.onAnswered(null, 1000L * i);
            turns.onTurn(1000L, 1000L * i);
        }
    }
}

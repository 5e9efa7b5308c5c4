package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Counting is on the way of every request: it leaves nothing for the collector. */
class AllocationTest {
    private static final int EVENTS = 10_000;

    private final Counters counters = new Counters(1);
    private final ClientCounters clients = counters.loop(0).clients();
    private final PoolCounters pool = counters.loop(0).pool("default");
    private final TurnCounters turns = counters.loop(0).turns();
    private final AnswerCounters answers = new AnswerCounters();

    @Test
    void allocatesNothingPerRequest() {
        count(1);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        count(EVENTS);
        assertEquals(0, (threads.getCurrentThreadAllocatedBytes() - before) / EVENTS);
    }

    @SuppressWarnings("NullAway") // Who is counted for is nothing that counters look at.
    private void count(int events) {
        for (int i = 0; i < events; i++) {
            clients.onReceived(100);
            answers.count("GET", 200, 1_000_000L * i);
            clients.onSent(100);
            pool.onDispatched(null, 1000L * i);
            pool.onAnswered(null, 1000L * i);
            turns.onTurn(null, 1000L, 1000L * i);
        }
    }
}

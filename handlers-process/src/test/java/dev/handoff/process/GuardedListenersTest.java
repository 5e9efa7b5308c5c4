package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.handoff.process.dispatch.Worker;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Telling is on the way of every request: it leaves nothing for the collector. */
final class GuardedListenersTest {
    private static final int EVENTS = 10_000;

    private long dispatched;
    private long answered;

    @Test
    void tellsOfARequestWithoutAllocating() throws IOException {
        try (TestLoops loops = new TestLoops(1)) {
            GuardedListeners listeners =
                    new GuardedListeners(List.of(new Dispatches(), new Responses()), loops.first());
            tell(listeners, 1);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            tell(listeners, EVENTS);
            assertEquals(0, (threads.getCurrentThreadAllocatedBytes() - before) / EVENTS);
        }
        assertEquals(EVENTS + 1, dispatched);
        assertEquals(EVENTS + 1, answered);
    }

    @SuppressWarnings("NullAway") // Who is told of is nothing that these listeners look at.
    private static void tell(PoolListener listener, int events) {
        for (int i = 0; i < events; i++) {
            listener.onDispatched(null, 1000L * i);
            listener.onAnswered(null, 1000L * i);
        }
    }

    private final class Dispatches implements PoolListener {
        @Override
        public void onDispatched(Worker worker, long waitNanos) {
            dispatched++;
        }
    }

    private final class Responses implements PoolListener {
        @Override
        public void onAnswered(Worker worker, long handlerNanos) {
            answered++;
        }
    }
}

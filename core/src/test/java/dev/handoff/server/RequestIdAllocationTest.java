package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.handoff.http.Headers;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The id is looked for in every request: that leaves nothing for the collector. */
class RequestIdAllocationTest {
    private static final int REQUESTS = 10_000;
    private static final int MEASUREMENTS = 5;

    private final Headers headers = Headers.of("host", "a", "x-request-id", "abc-1");

    @Test
    void allocatesNothingPerRequest() {
        look(1);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // The least of a few, since the virtual machine allocates on a thread for its own ends,
        // too.
        for (int i = 0; i < MEASUREMENTS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            look(REQUESTS);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least / REQUESTS);
    }

    private void look(int requests) {
        for (int i = 0; i < requests; i++) {
            assertEquals("abc-1", RequestIds.given(headers));
        }
    }
}

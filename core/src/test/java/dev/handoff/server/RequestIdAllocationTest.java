package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.handoff.http.Headers;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The id is looked for in every request: that leaves nothing for the collector. */
class RequestIdAllocationTest {
    private static final int REQUESTS = 10_000;

    private final Headers headers = Headers.of("host", "a", "x-request-id", "abc-1");

    @Test
    void allocatesNothingPerRequest() {
        look(1);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        look(REQUESTS);
        assertEquals(0, (threads.getCurrentThreadAllocatedBytes() - before) / REQUESTS);
    }

    private void look(int requests) {
        for (int i = 0; i < requests; i++) {
            assertEquals("abc-1", RequestIds.given(headers));
        }
    }
}

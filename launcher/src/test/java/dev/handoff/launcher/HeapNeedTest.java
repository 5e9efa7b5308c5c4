package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.handoff.launcher.config.Options;
import dev.handoff.launcher.config.PoolPlan;
import dev.handoff.launcher.config.UsageException;
import dev.handoff.server.ServerLimits;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which heaps are said to be too small for the limits. */
class HeapNeedTest {
    private static final long MIB = 1024 * 1024;

    @Test
    void theDefaultLimitsFitInto256MiB() throws UsageException {
        assertNull(complaint(256));
    }

    @Test
    void ofOneThatHoldsOnlyOneResponseItSaysWhoPays() throws UsageException {
        assertEquals(
                "with the heap of 128MiB all responses may hold 16MiB together (half of"
                        + " --max-buffered), which one response of 32MiB (--max-response) fills:"
                        + " while a client takes it slowly, other large responses are dropped, 503"
                        + " responses_full; lower the limit, or give Java more (HANDOFF_JAVA_OPTS,"
                        + " -Xmx)",
                complaint(128));
    }

    @Test
    void ofASmallerHeapItSaysWhatToDo() throws UsageException {
        assertEquals(
                "the heap of 64MiB may not hold what the limits allow: --max-buffered 16MiB, beyond"
                        + " it a response of 32MiB (--max-response) and a request of 8MiB"
                        + " (--max-body-in-memory); lower these limits, or give Java more (HANDOFF_JAVA_OPTS, -Xmx)",
                complaint(64));
    }

    @Test
    void connectionsWithTlsFillAQuarterOfIt() {
        assertEquals(2048, HeapNeed.tlsConnections(10_000, 64 * MIB));
        assertEquals(8192, HeapNeed.tlsConnections(10_000, 256 * MIB));
        assertEquals(10_000, HeapNeed.tlsConnections(10_000, 320 * MIB));
        assertEquals(100, HeapNeed.tlsConnections(100, 64 * MIB));
        assertEquals(1, HeapNeed.tlsConnections(100, 1));
    }

    private static @Nullable String complaint(long heapMib) throws UsageException {
        ServerLimits server = ServerLimits.DEFAULT.withBufferedBytes(heapMib * MIB / 4);
        PoolPlan plan = PoolPlan.only(null, new Options(Map.of(), Map.of()));
        return HeapNeed.complaint(
                server, server.request().bodyBytes(), List.of(plan), heapMib * MIB);
    }
}

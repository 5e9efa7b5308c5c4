package dev.handoff.launcher;

import dev.handoff.launcher.config.PoolPlan;
import dev.handoff.launcher.config.Units;
import dev.handoff.server.ServerLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether what the limits allow fits into Java's heap. */
final class HeapNeed {
    /** Long-lived objects lie in the old generation, which has two thirds of the heap. */
    private static final double LASTING_SHARE = 2.0 / 3;

    /** What a connection with TLS holds while nothing happens on it: measured, with JDK 25. */
    private static final int TLS_CONNECTION_BYTES = 8 * 1024;

    /** The part of the heap that such connections may fill. */
    private static final int PART_FOR_TLS = 4;

    private HeapNeed() {}

    /**
     * How many client connections the heap has room for, if all of them speak TLS. Those without
     * take so little that the limit of open files comes first.
     *
     * @param heapBytes the most that Java's heap may grow to
     */
    static int tlsConnections(int wanted, long heapBytes) {
        return Math.clamp(heapBytes / PART_FOR_TLS / TLS_CONNECTION_BYTES, 1, wanted);
    }

    /**
     * Why it may not fit, for the log; null if it does.
     *
     * @param requestBytes the most of a request that stays in memory
     * @param heapBytes the most that Java's heap may grow to
     */
    static @Nullable String complaint(
            ServerLimits server, long requestBytes, List<PoolPlan> plans, long heapBytes) {
        long response =
                plans.stream()
                        .mapToLong(plan -> plan.limits().fromWorker().bodyBytes())
                        .max()
                        .orElse(0);
        // One of each may pass its half of the budget, and a request is copied while it grows.
        long need = server.bufferedBytes() + response + 2L * requestBytes;
        if (need <= heapBytes * LASTING_SHARE) {
            return complaintOfResponses(server.bufferedBytes() / 2, response, heapBytes);
        }
        return ("the heap of %s may not hold what the limits allow: --max-buffered %s, beyond it a"
                        + " response of %s (--max-response) and a request of %s (--max-body-in-memory); lower"
                        + " these limits, or give Java more (HANDOFF_JAVA_OPTS, -Xmx)")
                .formatted(
                        Units.formatSize(heapBytes),
                        Units.formatSize(server.bufferedBytes()),
                        Units.formatSize(response),
                        Units.formatSize(requestBytes));
    }

    /** A heap is safe, but of little use, where one response takes the room of all responses. */
    private static @Nullable String complaintOfResponses(
            long responsesBytes, long response, long heapBytes) {
        if (response <= responsesBytes) {
            return null;
        }
        return ("with the heap of %s all responses may hold %s together (half of --max-buffered), which"
                        + " one response of %s (--max-response) fills: while a client takes it"
                        + " slowly, other large responses are dropped, 503 responses_full; lower the"
                        + " limit, or give Java more (HANDOFF_JAVA_OPTS, -Xmx)")
                .formatted(
                        Units.formatSize(heapBytes),
                        Units.formatSize(responsesBytes),
                        Units.formatSize(response));
    }
}

package dev.handoff.process.supervise;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many processes of a pool have ended while something that they started, and that outlives
 * them, holds their output open. Each takes the core two files and their threads, so a pool that
 * has many starts no more. Any thread.
 */
final class HeldOutputs {
    /** A daemon or two of each worker that there has been is none too many. */
    static final int MOST = 100;

    private final AtomicInteger count = new AtomicInteger();

    /**
     * A process has ended.
     *
     * @param output completes when nobody can write it any more
     */
    void ended(CompletableFuture<?> output) {
        if (!output.isDone()) {
            count.incrementAndGet();
            var _ = output.whenComplete((read, failure) -> count.decrementAndGet());
        }
    }

    boolean areTooMany() {
        return count.get() >= MOST;
    }

    /** Why no process starts, for whoever wrote the handler. */
    static String complaint() {
        return ("%d processes of the pool have ended while others that they started hold their stdout or"
                        + " stderr open: end these, or have them write elsewhere")
                .formatted(MOST);
    }
}

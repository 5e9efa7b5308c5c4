package dev.handoff.process;

import java.util.List;

/**
 * How a pool was doing at one moment.
 *
 * @param window how many requests its workers take at once, all together
 * @param inFlight requests that workers hold
 * @param queued requests that wait, and {@code queuedBytes} their size
 * @param queueLimit how many may wait
 */
public record PoolSnapshot(
        String name,
        int window,
        int inFlight,
        int queued,
        long queuedBytes,
        int queueLimit,
        boolean draining,
        List<Worker> workers) {

    public PoolSnapshot {
        workers = List.copyOf(workers);
    }

    /**
     * One connected worker.
     *
     * @param pid as it told it; 0 if it did not
     * @param state {@code ready} or {@code draining}
     */
    public record Worker(
            String id, String name, long pid, String state, int window, int inFlight) {}
}

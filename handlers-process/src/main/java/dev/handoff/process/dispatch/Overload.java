package dev.handoff.process.dispatch;

import java.util.function.Consumer;

/**
 * Tells whether more requests come than the workers can do.
 *
 * <p>Overload begins when the queue is full, or when its oldest request has waited for a tenth of
 * the queue timeout. That wait counts only if workers are there and busy, and if other requests
 * wait too. Overload ends when no fresh request waits any more. Between the two bounds nothing
 * changes, so that the order of service does not flap. Belongs to the thread of the pool's loop.
 */
final class Overload {
    private static final int SHARE_OF_TIMEOUT = 10;

    private long longWaitNanos;
    private final Consumer<Boolean> listener;
    private boolean present;

    /**
     * @param listener hears each change
     */
    Overload(long queueTimeoutNanos, Consumer<Boolean> listener) {
        this.longWaitNanos = queueTimeoutNanos / SHARE_OF_TIMEOUT;
        this.listener = listener;
    }

    void queueTimeout(long newQueueTimeoutNanos) {
        longWaitNanos = newQueueTimeoutNanos / SHARE_OF_TIMEOUT;
    }

    boolean isPresent() {
        return present;
    }

    void waited(long oldestNanos) {
        if (oldestNanos > longWaitNanos) {
            change(true);
        }
    }

    void full() {
        change(true);
    }

    void empty() {
        change(false);
    }

    private void change(boolean to) {
        if (present != to) {
            present = to;
            listener.accept(to);
        }
    }
}

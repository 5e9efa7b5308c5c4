package dev.handoff.process.dispatch;

/**
 * Tells whether a queue is so full that clients should go elsewhere. That begins at nine tenths of
 * one of its limits, and ends below half of both. Between the two bounds nothing changes, so that a
 * load balancer that asks is not told another thing each time. Belongs to the thread of the pool's
 * loop.
 */
final class Saturation {
    private boolean present;

    /**
     * Call it whenever the queue has grown, and before {@link #isPresent}. In between the queue can
     * only have become shorter.
     */
    void observe(RequestQueue queue, int maxRequests, long maxBytes) {
        if (isNearlyFull(queue.size(), maxRequests) || isNearlyFull(queue.bytes(), maxBytes)) {
            present = true;
        } else if (2L * queue.size() < maxRequests && 2 * queue.bytes() < maxBytes) {
            present = false;
        }
    }

    boolean isPresent() {
        return present;
    }

    private static boolean isNearlyFull(long used, long most) {
        return 10 * used >= 9 * most;
    }
}

package dev.handoff.process;

import java.util.LinkedHashSet;
import java.util.function.Consumer;

/**
 * The requests that wait for a worker, oldest first, bounded by count and bytes. Belongs to the
 * pool's loop.
 */
final class RequestQueue {
    /** Ordered, and quick to take any one out of: clients leave from the middle too. */
    private final LinkedHashSet<PoolRequest> requests = new LinkedHashSet<>();

    private long maxBytes;
    private long bytes;

    RequestQueue(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * @param maxRequests the limit at this moment: it follows the workers' window
     * @return false if there is no room
     */
    boolean offer(PoolRequest request, int maxRequests) {
        int size = request.frame.sizeBytes();
        if (requests.size() >= maxRequests || bytes + size > maxBytes) {
            return false;
        }
        bytes += size;
        requests.add(request);
        return true;
    }

    /** Puts back a request that had left the queue; it goes first, limits or not. */
    void putFirst(PoolRequest request) {
        bytes += request.frame.sizeBytes();
        requests.addFirst(request);
    }

    /** The oldest; there must be one. */
    PoolRequest first() {
        return requests.getFirst();
    }

    void remove(PoolRequest request) {
        if (requests.remove(request)) {
            bytes -= request.frame.sizeBytes();
        }
    }

    /** Counts for requests that come; those that wait may go on doing so. */
    void maxBytes(long newMaxBytes) {
        maxBytes = newMaxBytes;
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    int size() {
        return requests.size();
    }

    long bytes() {
        return bytes;
    }

    /** Takes all out, oldest first. */
    void drainTo(Consumer<PoolRequest> receiver) {
        while (!requests.isEmpty()) {
            PoolRequest first = first();
            remove(first);
            receiver.accept(first);
        }
    }
}

package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds a pool's queue to its limits. It lets a request in while there is room. It rejects a
 * request that has waited for the queue timeout or, while no worker is connected, for the grace.
 * The wait begins anew when the first worker comes or the last one leaves.
 *
 * <p>The {@link Dispatcher} decides which request is served next. Belongs to the thread of the
 * pool's loop.
 */
final class QueueAdmission {
    private final EventLoop loop;
    private final RequestQueue queue;
    private final WorkerChoice workers;
    private final Supplier<PoolLimits> limits;
    private final DispatchListener listener;
    private final Saturation saturation = new Saturation();

    /** Goes off when the oldest waiting request may have to go, or before. */
    private @Nullable Timer expiry;

    /** Whether no request may wait any more. */
    private boolean closed;

    /**
     * @param limits the limits of the moment
     */
    QueueAdmission(
            EventLoop loop,
            RequestQueue queue,
            WorkerChoice workers,
            Supplier<PoolLimits> limits,
            DispatchListener listener) {
        this.loop = loop;
        this.queue = queue;
        this.workers = workers;
        this.limits = limits;
        this.listener = listener;
    }

    /**
     * How many requests may wait. The limit grows with the workers' concurrency, and does not
     * shrink while they are away.
     */
    int mostRequests() {
        return limits.get().queueRequests(workers.mostConcurrency());
    }

    /**
     * Puts a fresh request into the queue, or rejects it.
     *
     * @param isDemanding whether only some workers take it
     */
    void enqueue(WorkerRequest request, boolean isDemanding) {
        if (closed) {
            reject(request, Rejection.DRAINING);
            return;
        }
        int most = mostRequests();
        Rejection full = queue.offer(request, isDemanding, most, loop.nanoTime(), this::reject);
        if (full != null) {
            reject(request, full);
            return;
        }
        observe(most);
        request.state = WorkerRequest.State.QUEUED;
        armExpiry();
    }

    /** Puts a request back that a worker had, even if the queue is full. */
    void putBack(WorkerRequest request) {
        if (closed) {
            reject(request, Rejection.DRAINING);
            return;
        }
        queue.putBack(request, loop.nanoTime());
        observe(mostRequests());
        armExpiry();
    }

    /** The first worker came, or the last one left. */
    void presenceChanged() {
        queue.workersPresent(!workers.isEmpty(), loop.nanoTime());
        cancelExpiry();
        armExpiry();
    }

    /** Rejects all requests that wait, and those that come later. */
    void close() {
        closed = true;
        WorkerRequest oldest = queue.oldest();
        while (oldest != null) {
            turnOut(oldest, Rejection.DRAINING);
            oldest = queue.oldest();
        }
        cancelExpiry();
    }

    /** Whether clients should go elsewhere. */
    boolean isSaturated() {
        observe(mostRequests());
        return saturation.isPresent();
    }

    /** The age of the request that waits longest; 0 if none waits. */
    long oldestWaitNanos() {
        WorkerRequest oldest = queue.oldest();
        return oldest == null ? 0 : oldest.waitNanos(loop.nanoTime());
    }

    private void observe(int most) {
        saturation.observe(queue, most, limits.get().queueBytes());
    }

    /**
     * Sets the one timer of the whole queue for its oldest request. A request that came later
     * expires later.
     */
    private void armExpiry() {
        WorkerRequest oldest = expiry == null ? queue.oldest() : null;
        if (oldest != null) {
            expiry = loop.scheduleAt(expiresNanos(oldest), this::expire);
        }
    }

    private void cancelExpiry() {
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
    }

    private void expire() {
        expiry = null;
        Rejection why = workers.isEmpty() ? Rejection.NO_WORKER : Rejection.QUEUE_TIMEOUT;
        WorkerRequest oldest = queue.oldest();
        while (oldest != null && expiresNanos(oldest) - loop.nanoTime() <= 0) {
            turnOut(oldest, why);
            oldest = queue.oldest();
        }
        armExpiry();
    }

    private long expiresNanos(WorkerRequest request) {
        PoolLimits now = limits.get();
        Duration patience = workers.isEmpty() ? now.noWorkerGrace() : now.queueTimeout();
        return queue.waitsSinceNanos(request) + patience.toNanos();
    }

    private void turnOut(WorkerRequest request, Rejection why) {
        queue.remove(request);
        reject(request, why);
    }

    private long limitOf(Rejection why) {
        PoolLimits now = limits.get();
        return switch (why) {
            case QUEUE_FULL -> mostRequests();
            case QUEUE_BYTES -> now.queueBytes();
            case QUEUE_TIMEOUT -> now.queueTimeout().toMillis();
            case NO_WORKER -> now.noWorkerGrace().toMillis();
            case DRAINING -> 0;
        };
    }

    private void reject(WorkerRequest request, Rejection why) {
        request.end(loop.nanoTime());
        listener.onRejected(why, limitOf(why));
        request.exchange().fail(why.failure());
    }
}

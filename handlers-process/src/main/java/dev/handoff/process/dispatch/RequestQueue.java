package dev.handoff.process.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a worker, bounded by count and bytes.
 *
 * <p>Requests that no worker had yet are <i>fresh</i>. They are served in the order they came. In
 * {@link Overload} the newest goes first, since its client is the most likely to be still there. A
 * full queue makes room by giving up the oldest. Those that only some workers take, as their
 * content is large or has yet to come, wait in a lane beside the others, and neither lane pushes
 * the other out. Requests that a worker gave back wait in lanes, one for each worker, and go before
 * fresh ones. So a request that a worker may not have does not hold up those that it may have.
 * Belongs to the thread of the pool's loop.
 */
final class RequestQueue {
    private long maxBytes;
    private final Overload overload;
    private final BooleanSupplier workersBusy;

    /** The fresh requests that any worker takes. */
    private final WorkerRequest.Lane simple = new WorkerRequest.Lane(null);

    /** The fresh requests that only some workers take, as for their large content. */
    private final WorkerRequest.Lane demanding = new WorkerRequest.Lane(null);

    /**
     * A lane for each worker that gave requests back, and one for those whose workers were lost, or
     * that were {@linkplain #putFirst put first}. Mostly empty.
     */
    private final List<WorkerRequest.Lane> returned = new ArrayList<>();

    private int size;
    private long bytes;

    private boolean workersPresent;
    private long presenceNanos;

    /** When all windows were last seen full, or may have been. */
    private long busyNanos;

    private @Nullable Runnable whenEmpty;

    /**
     * @param workersBusy whether all windows are full at this moment. If they never are while
     *     requests wait, a worker has not read what it was sent, as behind a large upload. That is
     *     no overload
     */
    RequestQueue(long maxBytes, Overload overload, BooleanSupplier workersBusy, long nowNanos) {
        this.maxBytes = maxBytes;
        this.overload = overload;
        this.workersBusy = workersBusy;
        this.presenceNanos = nowNanos;
        this.busyNanos = nowNanos;
    }

    /** The first worker came, or the last one left: all waits begin anew. */
    void workersPresent(boolean present, long nowNanos) {
        workersPresent = present;
        presenceNanos = nowNanos;
        busyNanos = nowNanos;
    }

    /** When a request's wait began. */
    long waitsSinceNanos(WorkerRequest request) {
        return request.queuedNanos + Math.max(0, presenceNanos - request.queuedNanos);
    }

    /**
     * Adds a fresh request, if need be in place of the oldest ones. A request that is larger than
     * the limit of bytes may wait alone: the limit is not meant to be smaller than one request.
     *
     * @param isDemanding whether only some workers take it
     * @param maxRequests the limit at this moment: it follows the workers' concurrency
     * @param evicted hears of each request that had to leave the queue, and why
     * @return why there would be no room even without the fresh ones; null if the request waits now
     */
    @Nullable Rejection offer(
            WorkerRequest request,
            boolean isDemanding,
            int maxRequests,
            long nowNanos,
            BiConsumer<WorkerRequest, Rejection> evicted) {
        long newBytes = request.queuedBytes;
        if (size - simple.size() - demanding.size() >= maxRequests) {
            return Rejection.QUEUE_FULL;
        }
        boolean mayWaitAlone = maxBytes > 0 && isEmpty();
        if (bytes - simple.bytes() - demanding.bytes() + newBytes > maxBytes && !mayWaitAlone) {
            return Rejection.QUEUE_BYTES;
        }
        while (size >= maxRequests || bytes + newBytes > maxBytes) {
            boolean isFull = size >= maxRequests;
            WorkerRequest oldest = oldestOfTheMany(isFull);
            if (oldest == null) {
                break;
            }
            overload.full();
            unlink(oldest, Objects.requireNonNull(oldest.lane()));
            evicted.accept(oldest, isFull ? Rejection.QUEUE_FULL : Rejection.QUEUE_BYTES);
        }
        if (workersBusy.getAsBoolean()) {
            busyNanos = nowNanos;
        }
        add(request, isDemanding ? demanding : simple, nowNanos);
        observe(nowNanos);
        return null;
    }

    /** Takes a request back from the worker that had it: it goes before fresh ones. */
    void putBack(WorkerRequest request, long nowNanos) {
        add(request, laneOf(request.gaveBack), nowNanos);
    }

    /** Has one that waits go before the fresh ones, like one whose worker was lost. */
    void putFirst(WorkerRequest request, long nowNanos) {
        WorkerRequest.Lane lane = request.lane();
        if (lane != null && isFresh(lane)) {
            WorkerRequest.Lane first = laneOf(null);
            unlink(request, lane);
            add(request, first, nowNanos);
            if (oldestFresh() == null) {
                overload.empty();
            }
        }
    }

    /** Has one that only some workers took wait with the others, behind which it came. */
    void anyWorkerTakes(WorkerRequest request, long nowNanos) {
        if (request.lane() == demanding) {
            unlink(request, demanding);
            add(request, simple, nowNanos);
        }
    }

    /** The requests that workers gave back, a lane for each worker. */
    List<WorkerRequest.Lane> returned() {
        return returned;
    }

    /**
     * Whether fresh requests wait.
     *
     * @param areDemanding whether those that only some workers take, or the others
     */
    boolean hasFresh(boolean areDemanding) {
        return !(areDemanding ? demanding : simple).isEmpty();
    }

    /** The fresh request whose turn it is, which stays in the queue; null if there is none. */
    @Nullable WorkerRequest next(long nowNanos) {
        observe(nowNanos);
        return overload.isPresent() ? newestFresh() : oldestFresh();
    }

    /**
     * The one whose turn it is if no worker has room for the {@linkplain #next next}: only some
     * take the one, and any the other. Null if there is none.
     */
    @Nullable WorkerRequest nextOfTheOthers(WorkerRequest next) {
        WorkerRequest.Lane others = next.lane() == simple ? demanding : simple;
        return overload.isPresent() ? others.newest() : others.oldest();
    }

    private boolean isFresh(WorkerRequest.Lane lane) {
        return lane == simple || lane == demanding;
    }

    private @Nullable WorkerRequest oldestFresh() {
        WorkerRequest left = simple.oldest();
        WorkerRequest right = demanding.oldest();
        return left == null || (right != null && isLater(left, right)) ? right : left;
    }

    /**
     * Of the two kinds of fresh requests that of which there is more gives up its oldest, so that
     * neither has the queue to itself.
     *
     * @param isByNumber whether more of them, or more bytes
     */
    private @Nullable WorkerRequest oldestOfTheMany(boolean isByNumber) {
        long difference =
                isByNumber ? simple.size() - demanding.size() : simple.bytes() - demanding.bytes();
        if (difference == 0) {
            return oldestFresh();
        }
        return (difference > 0 ? simple : demanding).oldest();
    }

    private @Nullable WorkerRequest newestFresh() {
        WorkerRequest left = simple.newest();
        WorkerRequest right = demanding.newest();
        return left == null || (right != null && isLater(right, left)) ? right : left;
    }

    private static boolean isLater(WorkerRequest one, WorkerRequest other) {
        return one.queuedNanos - other.queuedNanos > 0;
    }

    /** The request that has waited longest; null if there is none. */
    @Nullable WorkerRequest oldest() {
        WorkerRequest oldest = oldestFresh();
        for (WorkerRequest.Lane lane : returned) {
            WorkerRequest candidate = lane.oldest();
            if (candidate != null
                    && (oldest == null || candidate.queuedNanos - oldest.queuedNanos < 0)) {
                oldest = candidate;
            }
        }
        return oldest;
    }

    void forEach(Consumer<WorkerRequest> action) {
        simple.forEach(action);
        demanding.forEach(action);
        returned.forEach(lane -> lane.forEach(action));
    }

    /** Does nothing with a request that is not in the queue. */
    void remove(WorkerRequest request) {
        WorkerRequest.Lane lane = request.lane();
        if (lane == null) {
            return;
        }
        unlink(request, lane);
        if (!lane.isEmpty()) {
            return;
        }
        if (!isFresh(lane)) {
            returned.remove(lane);
        } else if (oldestFresh() == null) {
            overload.empty();
        }
        if (size == 0 && whenEmpty != null) {
            whenEmpty.run();
        }
    }

    /**
     * Calls {@code action} each time that the last request leaves the queue. What takes the request
     * out is not finished then.
     */
    void whenEmpty(Runnable action) {
        whenEmpty = action;
    }

    /** Whether there is overload now. It looks again, since time alone may have brought it. */
    boolean isOverloaded(long nowNanos) {
        observe(nowNanos);
        return overload.isPresent();
    }

    /** Sets other limits for requests that come. Those that wait already stay. */
    void limits(PoolLimits limits) {
        maxBytes = limits.queueBytes();
        overload.queueTimeout(limits.queueTimeout().toNanos());
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    long bytes() {
        return bytes;
    }

    private void add(WorkerRequest request, WorkerRequest.Lane lane, long nowNanos) {
        request.queuedNanos = nowNanos;
        lane.add(request);
        size++;
        bytes += request.queuedBytes;
    }

    private void unlink(WorkerRequest request, WorkerRequest.Lane lane) {
        lane.remove(request);
        size--;
        bytes -= request.queuedBytes;
    }

    private WorkerRequest.Lane laneOf(WorkerRequest.@Nullable Holder avoided) {
        for (WorkerRequest.Lane lane : returned) {
            if (Objects.equals(lane.avoided(), avoided)) {
                return lane;
            }
        }
        WorkerRequest.Lane lane = new WorkerRequest.Lane(avoided);
        returned.add(lane);
        return lane;
    }

    private void observe(long nowNanos) {
        WorkerRequest oldest = oldestFresh();
        boolean others = oldest != newestFresh();
        boolean busy = oldest != null && busyNanos - waitsSinceNanos(oldest) >= 0;
        if (oldest != null && others && workersPresent && busy) {
            overload.waited(nowNanos - waitsSinceNanos(oldest));
        }
    }
}

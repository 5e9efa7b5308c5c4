package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.server.Abandonment;
import dev.handoff.server.Failure;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Tells a worker that nobody waits for its response any more. Closes the worker's connection if it
 * keeps the request for too long. Belongs to the thread of the pool's loop.
 */
final class Cancellation {
    /**
     * How much longer than the grace a worker has at most that is sending a frame: its word on the
     * request may stand behind that, as where the machine has more to do than it can.
     */
    static final Duration MOST_BEHIND_A_FRAME = Duration.ofSeconds(30);

    private final EventLoop loop;
    private final Supplier<PoolLimits> limits;
    private final DispatchListener listener;

    /**
     * @param limits the limits of the moment
     */
    Cancellation(EventLoop loop, Supplier<PoolLimits> limits, DispatchListener listener) {
        this.loop = loop;
        this.limits = limits;
        this.listener = listener;
    }

    /** Cancels a request that a worker holds. */
    void cancel(WorkerRequest request, Abandonment why) {
        cancel(
                request,
                switch (why) {
                    case CLIENT_GONE, CONTENT_CUT -> CancelReason.CLIENT_GONE;
                    case DEADLINE, STREAM_IDLE -> CancelReason.DEADLINE;
                    case SERVER_STOPPED -> CancelReason.DRAIN;
                    case BAD_RESPONSE -> CancelReason.BAD_RESPONSE;
                    case NO_CONTENT -> CancelReason.NO_CONTENT;
                });
    }

    /** Cancels a request that a worker holds. */
    void cancel(WorkerRequest request, CancelReason reason) {
        WorkerRequest.Holder worker = request.worker;
        if (worker == null) {
            throw new IllegalStateException("in flight without a worker");
        }
        request.state = WorkerRequest.State.CANCELLED;
        request.forget();
        worker.cancel(request, reason);
        listener.onCancelled(worker, reason);
        beginGrace(request, reason, worker);
    }

    /**
     * The worker broke a rule: its client gets no more.
     *
     * @param last whether the worker is done with the request; else it is told to give up
     */
    void breakOff(WorkerRequest request, boolean last, CancelReason rule) {
        request.failClient(
                rule == CancelReason.SLOW_CLIENT ? PoolFailures.SLOW_CLIENT : Failure.BAD_RESPONSE);
        if (!last) {
            cancel(request, rule);
        }
    }

    /** The client of a WebSocket is gone: the worker has to let go of it as well. */
    void closeWebSocket(WorkerRequest request, int code, String reason) {
        WorkerRequest.Holder worker = request.worker;
        if (worker == null) {
            throw new IllegalStateException("a WebSocket without a worker");
        }
        request.state = WorkerRequest.State.CANCELLED;
        request.forget();
        worker.closeWebSocket(request, code, reason);
        beginGrace(request, CancelReason.CLIENT_GONE, worker);
    }

    /**
     * Closes the worker's connection when the grace is over. If the core holds the worker back, its
     * response may have come, unread; then the grace begins again.
     */
    private void beginGrace(
            WorkerRequest request, CancelReason reason, WorkerRequest.Holder worker) {
        long nanos = mayBeKeptUntil(request, reason);
        endGraceAt(nanos, nanos + MOST_BEHIND_A_FRAME.toNanos(), request, reason, worker);
    }

    /**
     * The time until then in which the core will not read the worker comes on top.
     *
     * @param lastNanos until when it may be sending a frame
     */
    private void endGraceAt(
            long nanos,
            long lastNanos,
            WorkerRequest request,
            CancelReason reason,
            WorkerRequest.Holder worker) {
        long heldBackBefore = worker.heldBackNanos();
        long heardBefore = worker.heardBytes();
        request.timer =
                loop.scheduleAt(
                        nanos,
                        () -> {
                            long now = loop.nanoTime();
                            long heldBack = worker.heldBackNanos() - heldBackBefore;
                            boolean sends = worker.isInFrame() && worker.heardBytes() > heardBefore;
                            if (worker.isHeldBack()) {
                                beginGrace(request, reason, worker);
                            } else if (heldBack > 0) {
                                endGraceAt(
                                        now + heldBack,
                                        lastNanos + heldBack,
                                        request,
                                        reason,
                                        worker);
                            } else if (sends && now < lastNanos) {
                                long more = limits.get().cancelGrace().toNanos();
                                endGraceAt(
                                        Math.min(now + more, lastNanos),
                                        lastNanos,
                                        request,
                                        reason,
                                        worker);
                            } else {
                                worker.closeAsStuck(whyStuck(request, reason));
                            }
                        });
    }

    private static boolean hasUntilItsDeadline(WorkerRequest request, CancelReason reason) {
        return reason == CancelReason.CLIENT_GONE && request.begun() == null;
    }

    private String whyStuck(WorkerRequest request, CancelReason reason) {
        String allowed =
                hasUntilItsDeadline(request, reason)
                        ? "by its deadline plus the grace of %d s"
                        : "within the grace of %d s";
        return "%s was cancelled (%s) and not answered %s"
                .formatted(
                        request.inWords(),
                        reason.wireName(),
                        allowed.formatted(limits.get().cancelGrace().toSeconds()));
    }

    /**
     * Returns when a worker that still keeps a cancelled request counts as stuck. Code that reads
     * only between requests cannot know that a client has left, so it has as long as if the client
     * had waited. A worker that sends in pieces reads meanwhile, so it has only the grace.
     */
    private long mayBeKeptUntil(WorkerRequest request, CancelReason reason) {
        long untilDeadline =
                hasUntilItsDeadline(request, reason) ? request.nanosLeft(loop.nanoTime()) : 0;
        return loop.nanoTime() + Math.max(0, untilDeadline) + limits.get().cancelGrace().toNanos();
    }
}

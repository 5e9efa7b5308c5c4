package dev.handoff.process.dispatch;

import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.SafeText;
import dev.handoff.server.Abandonment;
import dev.handoff.server.Exchange;
import dev.handoff.server.ResponseRoom;
import java.util.List;
import java.util.function.Supplier;

/**
 * Brings a pool's requests to its workers, and the responses to their clients.
 *
 * <p>A request goes to the ready worker that holds the smallest share of its concurrency (see
 * {@link ConnectedWorkers}), or into the queue (see {@link QueueKeeper}). From there it goes to a
 * worker as soon as one has room. Belongs to the thread of the pool's loop.
 */
final class Dispatcher implements WorkerConnection.Pool {
    /** A worker that gives a request back may be wrong about itself: at some point it fails. */
    private static final int MAX_RETRIES = 3;

    private final EventLoop loop;
    private final ConnectedWorkers workers;
    private final RequestQueue queue;
    private final QueueKeeper keeper;
    private final DispatchListener listener;
    private final Supplier<PoolLimits> limits;
    private final ResponseRoom responseRoom;
    private final Runnable workerLeft;

    /**
     * @param keeper of {@code queue}
     * @param limits the limits of the moment
     * @param responseRoom for what workers send
     * @param workerLeft is called when all is done that a worker's end asks for
     */
    Dispatcher(
            EventLoop loop,
            ConnectedWorkers workers,
            RequestQueue queue,
            QueueKeeper keeper,
            Supplier<PoolLimits> limits,
            ResponseRoom responseRoom,
            DispatchListener listener,
            Runnable workerLeft) {
        this.loop = loop;
        this.workers = workers;
        this.queue = queue;
        this.keeper = keeper;
        this.limits = limits;
        this.responseRoom = responseRoom;
        this.listener = listener;
        this.workerLeft = workerLeft;
    }

    void accept(PoolRequest request) {
        if (request.state == PoolRequest.State.DONE) {
            return;
        }
        WorkerConnection worker = queue.hasFresh() ? null : workers.leastFilled(null);
        if (worker != null) {
            dispatch(request, worker);
        } else {
            keeper.enqueue(request);
        }
    }

    void abandon(PoolRequest request, Abandonment why) {
        switch (request.state) {
            case NEW -> request.end(loop.nanoTime());
            case QUEUED -> {
                queue.remove(request);
                request.end(loop.nanoTime());
            }
            case IN_FLIGHT -> cancel(request, why);
            case CANCELLED, DONE -> {}
        }
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public PoolLimits limits() {
        return limits.get();
    }

    @Override
    public ResponseRoom responseRoom() {
        return responseRoom;
    }

    @Override
    public DispatchListener listener() {
        return listener;
    }

    /** A worker was welcomed. It takes the first request when all know of it. */
    void joined(WorkerConnection worker) {
        workers.add(worker);
        if (workers.size() == 1) {
            keeper.presenceChanged();
        }
    }

    @Override
    public void answered(WorkerConnection worker, PoolRequest request, Response response) {
        if (finish(worker, request)) {
            request.exchange().respond(response);
        }
    }

    @Override
    public void failed(
            WorkerConnection worker, PoolRequest request, String message, boolean retry) {
        boolean wanted = request.state == PoolRequest.State.IN_FLIGHT;
        if (wanted && retry && request.retries < MAX_RETRIES) {
            // Nothing has failed yet: this worker did not begin with it, as one that leaves.
            request.retries++;
            request.gaveBack = worker;
            takeBack(worker, request);
            return;
        }
        if (wanted) {
            // Only a failure: a request that is given back counts as that.
            worker.tally().failures++;
            listener.onHandlerFailure(worker, request.id, SafeText.beginning(message));
        }
        if (finish(worker, request)) {
            request.exchange().fail(PoolFailures.HANDLER_FAILED);
        }
    }

    @Override
    public boolean requestsWait() {
        return !queue.isEmpty();
    }

    @Override
    public void dropResponse(PoolRequest request) {
        if (request.state == PoolRequest.State.IN_FLIGHT) {
            Exchange exchange = request.exchange();
            request.state = PoolRequest.State.CANCELLED;
            request.forget();
            exchange.fail(PoolFailures.RESPONSES_FULL);
        }
    }

    @Override
    public void unknownId(WorkerConnection worker, long id) {
        listener.onUnknownResponse(worker, id);
    }

    @Override
    public void left(WorkerConnection worker, Departure departure, List<PoolRequest> held) {
        workers.remove(worker);
        if (workers.isEmpty()) {
            keeper.presenceChanged();
        }
        int lost = takeBackOrLose(worker, departure.reason(), held);
        listener.onLeft(worker, departure, lost);
        worker.owner().left(departure);
        dispatchQueued();
        workerLeft.run();
    }

    /**
     * Replays what the worker cannot have read whole, and what the pool's limits allow to be done
     * twice; the rest of what it held is lost.
     *
     * @param held in the order it was handed over
     * @return to how many clients this is a loss
     */
    private int takeBackOrLose(
            WorkerConnection worker, LeaveReason reason, List<PoolRequest> held) {
        int lost = 0;
        for (PoolRequest request : held) {
            if (mayGoToAnother(worker, request)) {
                takeBack(worker, request);
            } else {
                listener.onLost(worker);
                if (end(request)) {
                    lost++;
                    request.exchange().fail(PoolFailures.ofLoss(reason));
                }
            }
        }
        return lost;
    }

    @Override
    public void dispatchQueued() {
        boolean more = !queue.isEmpty();
        while (more) {
            more = dispatchReturned() || dispatchFresh();
        }
    }

    private boolean dispatchReturned() {
        for (PoolRequest.Lane lane : queue.returned()) {
            PoolRequest request = lane.oldest();
            WorkerConnection worker = workers.leastFilled(lane.avoided());
            if (request != null && worker != null) {
                dispatchFromQueue(request, worker);
                return true;
            }
        }
        return false;
    }

    private boolean dispatchFresh() {
        PoolRequest request = queue.next(loop.nanoTime());
        WorkerConnection worker = request == null ? null : workers.leastFilled(null);
        if (request == null || worker == null) {
            return false;
        }
        dispatchFromQueue(request, worker);
        return true;
    }

    private void dispatchFromQueue(PoolRequest request, WorkerConnection worker) {
        queue.remove(request);
        dispatch(request, worker);
    }

    private void dispatch(PoolRequest request, WorkerConnection worker) {
        long now = loop.nanoTime();
        worker.dispatch(request, now);
        worker.tally().requests++;
        listener.onDispatched(worker, request.waitNanos(now));
    }

    /**
     * Whether a lost worker's request is handed over again. What the worker may have begun with is,
     * at most once: it may be what ends its workers.
     */
    private static boolean mayGoToAnother(WorkerConnection lost, PoolRequest request) {
        if (request.state != PoolRequest.State.IN_FLIGHT) {
            return false;
        }
        if (!lost.hasReceived(request)) {
            return true;
        }
        boolean replayable = request.replayable;
        request.replayable = false;
        return replayable;
    }

    private void takeBack(WorkerConnection worker, PoolRequest request) {
        listener.onGivenBack(worker);
        request.takeBack();
        keeper.putBack(request);
    }

    private void cancel(PoolRequest request, Abandonment why) {
        PoolRequest.Holder worker = request.worker;
        if (worker == null) {
            throw new IllegalStateException("in flight without a worker");
        }
        request.state = PoolRequest.State.CANCELLED;
        request.forget();
        CancelReason reason =
                switch (why) {
                    case CLIENT_GONE -> CancelReason.CLIENT_GONE;
                    case DEADLINE -> CancelReason.DEADLINE;
                    case SERVER_STOPPED -> CancelReason.DRAIN;
                };
        worker.cancel(request, reason);
        listener.onCancelled(worker, reason);
        beginGrace(request, reason, worker);
    }

    /** While the worker is not read, its response may be there: it has the grace once more. */
    private void beginGrace(PoolRequest request, CancelReason reason, PoolRequest.Holder worker) {
        request.timer =
                loop.scheduleAt(
                        mayBeKeptUntil(request, reason),
                        () -> {
                            if (worker.isHeldBack()) {
                                beginGrace(request, reason, worker);
                            } else {
                                worker.closeAsStuck(whyStuck(request, reason));
                            }
                        });
    }

    private String whyStuck(PoolRequest request, CancelReason reason) {
        String allowed =
                reason == CancelReason.CLIENT_GONE
                        ? "by its deadline plus the grace of %d s"
                        : "within the grace of %d s";
        return "%s was cancelled (%s) and not answered %s"
                .formatted(
                        request.inWords(),
                        reason.wireName(),
                        allowed.formatted(limits.get().cancelGrace().toSeconds()));
    }

    /**
     * When a worker that still has a cancelled request is stuck. Code that reads only between
     * requests cannot know that a client has left: it has as long as if the client had waited.
     */
    private long mayBeKeptUntil(PoolRequest request, CancelReason reason) {
        long untilDeadline =
                reason == CancelReason.CLIENT_GONE ? request.deadlineNanos - loop.nanoTime() : 0;
        return loop.nanoTime() + Math.max(0, untilDeadline) + limits.get().cancelGrace().toNanos();
    }

    /** A worker answered; returns whether the response is still wanted. */
    private boolean finish(WorkerConnection worker, PoolRequest request) {
        long handlerNanos = loop.nanoTime() - request.dispatchedNanos;
        boolean wanted = end(request);
        if (wanted) {
            listener.onAnswered(worker, handlerNanos);
        } else {
            worker.tally().lateResponses++;
            listener.onAnsweredLate(worker, handlerNanos);
        }
        return wanted;
    }

    /** Ends a request's time with a worker; returns whether a response is still wanted. */
    private boolean end(PoolRequest request) {
        boolean wanted = request.state == PoolRequest.State.IN_FLIGHT;
        request.end(loop.nanoTime());
        return wanted;
    }
}

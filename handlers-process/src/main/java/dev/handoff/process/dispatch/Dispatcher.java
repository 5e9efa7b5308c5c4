package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.SafeText;
import dev.handoff.server.Abandonment;
import dev.handoff.server.Exchange;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.StreamEnd;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings a pool's requests to its workers, and the responses to their clients.
 *
 * <p>A request goes to the ready worker that holds the smallest share of its concurrency (see
 * {@link WorkerChoice}), or into the queue (see {@link QueueAdmission}). From there it goes to a
 * worker as soon as one has room. Belongs to the thread of the pool's loop.
 */
final class Dispatcher implements WorkerConnection.Owner {
    /** How often workers that answer nothing else meanwhile may give one request back. */
    private static final int MAX_RETRIES = 3;

    private final EventLoop loop;
    private final WorkerChoice workers;
    private final RequestQueue queue;
    private final QueueAdmission admission;
    private final DispatchListener listener;
    private final Supplier<PoolLimits> limits;
    private final ResponseRoom.Share responseShare;
    private final PoolLoad load;
    private final LostRequests lostRequests;
    private final Cancellation cancellation;
    private final PoolWebSockets webSockets;
    private final ContentRelief contentRelief;
    private final Runnable workerLeft;
    private volatile boolean takesWebSockets;

    /**
     * @param admission to {@code queue}
     * @param limits the limits of the moment
     * @param responseShare for what workers send
     * @param load hears how many requests the workers take at once
     * @param workerLeft is called when all is done that a worker's end asks for
     */
    Dispatcher(
            EventLoop loop,
            WorkerChoice workers,
            RequestQueue queue,
            QueueAdmission admission,
            Supplier<PoolLimits> limits,
            ResponseRoom.Share responseShare,
            PoolLoad load,
            DispatchListener listener,
            Runnable workerLeft) {
        this.loop = loop;
        this.workers = workers;
        this.queue = queue;
        this.admission = admission;
        this.limits = limits;
        this.responseShare = responseShare;
        this.load = load;
        this.listener = listener;
        this.lostRequests = new LostRequests(loop, admission, listener);
        this.cancellation = new Cancellation(loop, limits, listener);
        this.webSockets = new PoolWebSockets(loop, cancellation, listener);
        this.contentRelief = new ContentRelief(loop, queue, workers, this::dispatchQueued);
        this.workerLeft = workerLeft;
    }

    void accept(WorkerRequest request) {
        if (request.state == WorkerRequest.State.DONE) {
            return;
        }
        WorkerConnection worker = overtakes(request) ? null : workerFor(request, null);
        if (worker == null && workers.noneTakesContentOf(request)) {
            refuseAsTooLarge(request);
        } else if (worker != null) {
            dispatch(request, worker);
        } else {
            admission.enqueue(request, workers.isDemanding(request));
            contentRelief.watch();
            request.whenContentHasCome(() -> loop.tryRun(() -> contentHasCome(request)));
        }
    }

    /** One that waits among those whose content is to come does not belong there any more. */
    private void contentHasCome(WorkerRequest request) {
        if (request.state == WorkerRequest.State.QUEUED && !workers.isDemanding(request)) {
            queue.anyWorkerTakes(request, loop.nanoTime());
            dispatchQueued();
        }
    }

    /**
     * The worker that gets a request; null while there is no room.
     *
     * @param gaveBack the worker that gave it back
     */
    private @Nullable WorkerConnection workerFor(
            WorkerRequest request, WorkerRequest.@Nullable Holder gaveBack) {
        return request.isToCome() && workers.areFullOfArriving()
                ? null
                : workers.leastFilled(gaveBack, request);
    }

    /** Whether fresh requests wait that the workers for this one would take as well. */
    private boolean overtakes(WorkerRequest request) {
        return !queue.isEmpty() && queue.hasFresh(workers.isDemanding(request));
    }

    /** No worker of the pool takes content of that size. */
    private void refuseAsTooLarge(WorkerRequest request) {
        request.end(loop.nanoTime());
        Exchange exchange = request.exchange();
        exchange.respond(PoolFailures.noWorkerTakesIt(exchange.request()));
    }

    @Override
    public void uploadFailed(WorkerConnection worker, WorkerRequest request, IOException why) {
        listener.onContentLost(worker, request.id, why);
        if (request.state == WorkerRequest.State.IN_FLIGHT) {
            request.failClient(PoolFailures.CONTENT_LOST);
            cancellation.cancel(request, CancelReason.CLIENT_GONE);
        }
    }

    void abandon(WorkerRequest request, Abandonment why) {
        switch (request.state) {
            case NEW -> request.end(loop.nanoTime());
            case QUEUED -> {
                queue.remove(request);
                request.end(loop.nanoTime());
            }
            case IN_FLIGHT -> cancellation.cancel(request, why);
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
    public ResponseRoom.Share responseShare() {
        return responseShare;
    }

    @Override
    public DispatchListener listener() {
        return listener;
    }

    /**
     * Whether a worker of the pool takes WebSockets; while there is none, whether the last one did.
     * Any thread.
     */
    boolean takesWebSockets() {
        return takesWebSockets;
    }

    /** A worker was welcomed. It gets its first request when all listeners know it. */
    void joined(WorkerConnection worker) {
        workers.add(worker);
        takesWebSockets = workers.anyTakesWebSockets();
        if (workers.size() == 1) {
            admission.presenceChanged();
        }
    }

    @Override
    public void answered(WorkerConnection worker, WorkerRequest request, Response response) {
        if (request.begun() != null && request.state == WorkerRequest.State.IN_FLIGHT) {
            breakOff(worker, request, true, CancelReason.BAD_RESPONSE);
            finish(worker, request);
        } else if (finish(worker, request)) {
            request.exchange().respond(response);
        }
    }

    @Override
    public void begun(WorkerConnection worker, WorkerRequest request, Response head) {
        if (worker.takesWebSockets() && PoolWebSockets.isAccepted(request, head)) {
            webSockets.accepted(worker, request, head);
            return;
        }
        if (request.state != WorkerRequest.State.IN_FLIGHT) {
            return;
        }
        if (request.begun() != null) {
            breakOff(worker, request, false, CancelReason.BAD_RESPONSE);
        } else {
            ResponseStream client =
                    request.exchange().stream(
                            head, bytes -> loop.tryRun(() -> request.clientMadeRoom(bytes)));
            request.begin(new WorkerStream(client, head.body().sizeBytes(), loop.nanoTime()));
        }
    }

    @Override
    public void messageCame(
            WorkerConnection worker, WorkerRequest request, Message.WebSocketMessage message) {
        webSockets.messageCame(worker, request, message);
    }

    @Override
    public void closed(WorkerConnection worker, WorkerRequest request, int code, String reason) {
        webSockets.closed(worker, request, code, reason);
        finish(worker, request);
    }

    @Override
    public void pieceCame(
            WorkerConnection worker, WorkerRequest request, Body piece, boolean last) {
        if (request.state == WorkerRequest.State.IN_FLIGHT) {
            passOn(worker, request, piece, last);
        }
        if (last) {
            finish(worker, request);
        }
    }

    private void passOn(WorkerConnection worker, WorkerRequest request, Body piece, boolean last) {
        if (!(request.begun() instanceof WorkerStream stream)) {
            breakOff(worker, request, last, CancelReason.BAD_RESPONSE);
        } else if (!stream.write(piece)) {
            breakOff(worker, request, last, CancelReason.SLOW_CLIENT);
        } else if (last) {
            stream.end();
        }
    }

    /**
     * The worker broke a rule: its client gets no more, and the worker is told to give up, unless
     * it sent its last piece.
     */
    private void breakOff(
            WorkerConnection worker, WorkerRequest request, boolean last, CancelReason reason) {
        if (request.webSocket() == null) {
            listener.onBrokenStream(worker, request.id, reason);
            cancellation.breakOff(request, last, reason);
        } else {
            webSockets.breakOff(worker, request, last, reason);
        }
    }

    @Override
    public void failed(
            WorkerConnection worker, WorkerRequest request, String message, boolean retry) {
        boolean wanted = request.state == WorkerRequest.State.IN_FLIGHT;
        if (worker.responses() > request.responsesBefore) {
            // It was others' turn: where they keep coming, that may happen any number of times.
            request.retries = 0;
        }
        if (wanted
                && retry
                && request.begun() == null
                && request.retries < MAX_RETRIES
                && request.rewindForAnother()) {
            // Nothing has failed yet: the worker did not begin with the request.
            request.retries++;
            request.gaveBack = worker;
            lostRequests.returnToQueue(worker, request);
            return;
        }
        if (wanted) {
            // A request that is given back is not counted here.
            worker.tally().failures++;
            listener.onHandlerFailure(worker, request.id, SafeText.beginning(message));
        }
        if (finish(worker, request)) {
            request.failClient(PoolFailures.HANDLER_FAILED);
        }
    }

    @Override
    public boolean hasOther(WorkerConnection than) {
        return workers.hasOther(than);
    }

    @Override
    public boolean requestsWait() {
        return !queue.isEmpty();
    }

    @Override
    public void dropResponse(WorkerRequest request, boolean more) {
        WorkerWebSocket webSocket = request.webSocket();
        if (webSocket != null) {
            webSocket.messageLost();
        }
        if (request.state != WorkerRequest.State.IN_FLIGHT) {
            return;
        }
        if (more || request.begun() != null) {
            request.failClient(PoolFailures.RESPONSES_FULL);
            cancellation.cancel(request, CancelReason.SLOW_CLIENT);
        } else {
            Exchange exchange = request.exchange();
            request.state = WorkerRequest.State.CANCELLED;
            request.forget();
            exchange.fail(PoolFailures.RESPONSES_FULL);
        }
    }

    @Override
    public void cutOff(WorkerRequest request) {
        BegunResponse begun = request.begun();
        if (begun != null) {
            begun.fail(PoolFailures.WORKER_LEAVES, StreamEnd.DRAINED);
        } else if (request.isToCome()) {
            request.exchange().fail(PoolFailures.WORKER_LEAVES);
        } else {
            return;
        }
        cancellation.cancel(request, CancelReason.DRAIN);
    }

    @Override
    public void lost(
            WorkerConnection worker, WorkerRequest request, LeaveReason reason, String why) {
        long id = request.id;
        String name = request.inWords();
        int lost = lostRequests.returnOrFail(worker, reason, List.of(request));
        if (lost > 0 || reason == LeaveReason.PROTOCOL_FAULT) {
            listener.onRequestLost(worker, id, name, why);
        }
    }

    @Override
    public void unknownId(WorkerConnection worker, long id) {
        listener.onUnknownResponse(worker, id);
    }

    @Override
    public void left(WorkerConnection worker, Departure departure, List<WorkerRequest> held) {
        workers.remove(worker);
        if (workers.isEmpty()) {
            admission.presenceChanged();
        } else {
            takesWebSockets = workers.anyTakesWebSockets();
        }
        int lost = lostRequests.returnOrFail(worker, departure.reason(), held);
        listener.onLeft(worker, departure, lost);
        worker.place().left(departure);
        dispatchQueued();
        // Those that are left may be full of content that is to come.
        contentRelief.watch();
        workerLeft.run();
    }

    @Override
    public void dispatchQueued() {
        load.places(workers.places());
        boolean more = !queue.isEmpty();
        while (more) {
            more = dispatchReturned() || dispatchFresh();
        }
    }

    private boolean dispatchReturned() {
        for (WorkerRequest.Lane lane : queue.returned()) {
            WorkerRequest request = lane.oldest();
            WorkerConnection worker = request == null ? null : workerFor(request, lane.avoided());
            if (request != null && worker != null) {
                dispatchFromQueue(request, worker);
                return true;
            }
        }
        return false;
    }

    private boolean dispatchFresh() {
        WorkerRequest next = queue.next(loop.nanoTime());
        if (next == null) {
            return false;
        }
        WorkerRequest other = queue.nextOfTheOthers(next);
        if (other == null) {
            return dispatchIfTaken(next);
        }
        return contentRelief.goesBefore(other, next)
                ? dispatchIfTaken(other) || dispatchIfTaken(next)
                : dispatchIfTaken(next) || dispatchIfTaken(other);
    }

    /** Returns whether it has left the queue. */
    private boolean dispatchIfTaken(WorkerRequest request) {
        WorkerConnection worker = workerFor(request, null);
        if (worker == null && workers.noneTakesContentOf(request)) {
            queue.remove(request);
            refuseAsTooLarge(request);
            return true;
        }
        if (worker == null) {
            return false;
        }
        dispatchFromQueue(request, worker);
        return true;
    }

    private void dispatchFromQueue(WorkerRequest request, WorkerConnection worker) {
        queue.remove(request);
        dispatch(request, worker);
    }

    private void dispatch(WorkerRequest request, WorkerConnection worker) {
        worker.dispatch(request, loop.nanoTime());
        request.responsesBefore = worker.responses();
        worker.tally().requests++;
        listener.onDispatched(worker, request.lastWaitNanos());
        if (request.arrives()) {
            contentRelief.watch();
        }
        if (request.asksForWebSocket && !worker.takesWebSockets()) {
            listener.onUntakenWebSocket(worker);
        }
    }

    /** A worker answered; returns whether the response is still wanted. */
    private boolean finish(WorkerConnection worker, WorkerRequest request) {
        BegunResponse begun = request.begun();
        // For a response in pieces, the time until it began: how long a client listens says nothing
        // about the worker.
        long answeredNanos = begun == null ? loop.nanoTime() : begun.begunNanos();
        long handlerNanos = answeredNanos - request.dispatchedNanos;
        boolean wanted = request.state == WorkerRequest.State.IN_FLIGHT;
        request.end(loop.nanoTime());
        if (wanted || request.webSocket() != null) {
            listener.onAnswered(worker, handlerNanos);
        } else {
            worker.tally().lateResponses++;
            listener.onAnsweredLate(worker, handlerNanos);
        }
        return wanted;
    }
}

package dev.handoff.process;

import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import dev.handoff.server.Handler;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one handler, and the requests that wait for them.
 *
 * <p>A request goes to the ready worker with the most room in its window, or into the queue. It
 * waits there for the queue timeout, or while no worker is connected for the grace; the wait begins
 * anew when the first worker comes or the last one leaves. Belongs to the thread of its loop; the
 * public methods may be called from any.
 */
public final class WorkerPool {
    /** A worker that gives a request back may be wrong about itself; somebody has to end it. */
    private static final int MAX_RETRIES = 3;

    /** How many processes one pool may have. */
    public static final int MOST_PROCESSES = 1000;

    private static final long RETIRE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final String name;
    private final EventLoop loop;
    private volatile PoolLimits limits;
    private final PoolListener listener;
    private final DispatchLedger ledger;
    private final String server;
    private final RequestQueue queue;
    private final Saturation saturation = new Saturation();
    private final List<WorkerConnection> workers = new ArrayList<>();
    private final FrameEncoder encoder = new FrameEncoder();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private @Nullable Supervisor supervisor;
    private boolean draining;
    private int externalCount;

    /** Goes off when the oldest waiting request may have to go, or before. */
    private @Nullable Timer expiry;

    /** Where the search for the most room begins, so that equals take turns. */
    private int turn;

    /**
     * @param listeners all of them hear everything, also when one throws
     * @param server what workers are told in {@code welcome}: name and version
     */
    public WorkerPool(
            String name,
            EventLoop loop,
            PoolLimits limits,
            List<PoolListener> listeners,
            String server) {
        this.name = name;
        this.loop = loop;
        this.limits = limits;
        this.listener = new GuardedListeners(listeners, loop);
        this.ledger = new DispatchLedger(this.listener);
        this.server = server;
        this.queue =
                new RequestQueue(
                        limits.queueBytes(),
                        new Overload(limits.queueTimeout().toNanos(), this.listener::onOverload),
                        loop.clock().nanoTime());
    }

    public String name() {
        return name;
    }

    /** What an HTTP server calls to have its requests answered by this pool. */
    public Handler handler() {
        return new PoolHandler(this);
    }

    /**
     * Starts processes for this pool and keeps them running; only they may join it then. To be
     * called once, before the first request.
     */
    public void supervise(WorkerCommand command, int count, ProcessStarter starter) {
        supervise(command, count, RecycleLimits.NONE, starter);
    }

    /**
     * @param recycling when a process is replaced by a new one though nothing is wrong with it
     */
    public void supervise(
            WorkerCommand command, int count, RecycleLimits recycling, ProcessStarter starter) {
        loop.run(() -> {
            supervisor = new Supervisor(this, command, recycling, starter);
            supervisor.start(count);
        });
    }

    /**
     * Replaces the processes by new ones, one after the other: an old one finishes what it holds
     * and leaves when the new one takes requests. If that does not get ready, the old one stays and
     * the reload ends. Asked for during a reload, it follows that one.
     *
     * @return completes on the pool's loop, when all are replaced or it has failed
     */
    public CompletableFuture<PoolChange> reload() {
        return change(Supervisor::reload);
    }

    /**
     * Changes how many processes there shall be.
     *
     * @param count 1 to {@link #MOST_PROCESSES}
     * @return completes on the pool's loop, when those that were added take requests and those that
     *     are too many have ended
     */
    public CompletableFuture<PoolChange> scale(int count) {
        if (count < 1 || count > MOST_PROCESSES) {
            return CompletableFuture.completedFuture(
                    new PoolChange.Refused("a pool has 1 to " + MOST_PROCESSES + " processes"));
        }
        return change(processes -> processes.scale(count));
    }

    /**
     * Lets one worker finish what it holds and leave. One that the pool started has a new process
     * in its place first; if that does not get ready, it stays.
     *
     * @return completes on the pool's loop, when the worker gets no more requests or it has failed;
     *     {@link PoolChange.Unknown} if there is no worker of that id
     */
    public CompletableFuture<PoolChange> drainWorker(String id) {
        return onLoop(() -> {
            WorkerSlot slot = supervisor == null ? null : supervisor.find(id);
            WorkerConnection worker = find(id);
            if (worker == null) {
                return told(slot == null ? new PoolChange.Unknown() : notConnected(id));
            }
            if (draining || worker.isDraining()) {
                return told(new PoolChange.Refused(id + " is draining already"));
            }
            if (slot != null && supervisor != null) {
                return supervisor.drain(slot);
            }
            worker.drain();
            return told(new PoolChange.Done(1));
        });
    }

    /**
     * Ends one worker at once. What it has not received, or may be replayed, goes to another; the
     * rest is lost. One that the pool started is started again; of one that came by itself the
     * connection is closed, for its process is not ours.
     *
     * @return completes on the pool's loop; {@link PoolChange.Unknown} if there is no worker of
     *     that id
     */
    public CompletableFuture<PoolChange> killWorker(String id) {
        return onLoop(() -> {
            WorkerSlot slot = supervisor == null ? null : supervisor.find(id);
            WorkerConnection worker = find(id);
            if (slot != null) {
                return told(slot.killOnDemand() ? new PoolChange.Done(1) : notConnected(id));
            }
            if (worker == null) {
                return told(new PoolChange.Unknown());
            }
            worker.close(LeaveReason.KILLED);
            return told(new PoolChange.Done(1));
        });
    }

    /**
     * Lets the workers finish what they hold, then ends them.
     *
     * @return completes when no worker is connected and no process of this pool is left
     */
    public CompletableFuture<Void> drain() {
        loop.execute(this::beginDraining);
        return drained;
    }

    /**
     * As {@link #drain}, but what waits in the queue is answered first. To be called when no more
     * requests come.
     */
    public CompletableFuture<Void> retire() {
        loop.execute(this::drainWhenQueueIsEmpty);
        return drained;
    }

    /** Other limits, for requests and workers that come from now on. */
    public void limits(PoolLimits newLimits) {
        loop.execute(() -> {
            limits = newLimits;
            queue.limits(newLimits);
        });
    }

    /** How the pool is doing, as its loop saw it at one moment. */
    public CompletableFuture<PoolSnapshot> snapshot() {
        return CompletableFuture.supplyAsync(this::takeSnapshot, loop);
    }

    /**
     * The requests that wait or that workers hold at one moment.
     *
     * @param most how many are described
     */
    public CompletableFuture<RequestsInHand> requestsInHand(int most) {
        return CompletableFuture.supplyAsync(
                () -> {
                    RequestsInHand.Search search = new RequestsInHand.Search(most);
                    queue.forEach(search::add);
                    workers.forEach(worker -> worker.held().forEach(search::add));
                    return search.end(loop.nanoTime());
                },
                loop);
    }

    /** The loop that it lives on. */
    public EventLoop loop() {
        return loop;
    }

    PoolLimits limits() {
        return limits;
    }

    PoolListener listener() {
        return listener;
    }

    DispatchLedger ledger() {
        return ledger;
    }

    byte[] encode(Message message) {
        return encoder.encode(message);
    }

    /**
     * A worker has said hello; here it is welcomed or turned away.
     *
     * @param others of the same name, which this one is about to replace or to be replaced by: one
     *     of them may be the one that started it
     */
    void admit(SocketChannel channel, Message.Hello hello, byte[] early, List<WorkerPool> others) {
        WorkerSlot slot = supervisor == null ? null : supervisor.claim(hello.token());
        boolean ours =
                supervisor == null ? hello.token() == null || others.isEmpty() : slot != null;
        if (!others.isEmpty() && (draining || !ours)) {
            WorkerPool next = others.getFirst();
            List<WorkerPool> rest = others.subList(1, others.size());
            next.loop.run(() -> next.admit(channel, hello, early, rest));
            return;
        }
        if (draining) {
            WorkerSocket.turnAway(channel, "draining", "the core is shutting down", this);
            return;
        }
        if (!ours) {
            WorkerSocket.turnAway(
                    channel,
                    "bad_token",
                    "pool " + name + " takes only the workers that the core starts",
                    this);
            return;
        }
        String id = slot == null ? name + "-external-" + ++externalCount : slot.name();
        WorkerConnection worker;
        try {
            worker = new WorkerConnection(this, id, channel, hello, slot);
        } catch (IOException failure) {
            WorkerSocket.turnAway(channel, "lost", String.valueOf(failure), this);
            return;
        }
        workers.add(worker);
        if (workers.size() == 1) {
            presenceChanged();
        }
        worker.welcome(server);
        if (slot != null) {
            slot.joined(worker);
        }
        listener.onJoined(worker);
        if (early.length > 0) {
            worker.onBytes(early, 0, early.length);
        }
        dispatchQueued();
    }

    void accept(PoolRequest request) {
        if (request.state == PoolRequest.State.DONE) {
            return;
        }
        WorkerConnection worker = queue.hasNewcomers() ? null : mostRoom(null);
        if (worker != null) {
            dispatch(request, worker);
        } else if (draining) {
            reject(request, Rejection.DRAINING);
        } else {
            enqueue(request);
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

    void answered(WorkerConnection worker, PoolRequest request, Response response) {
        if (finish(worker, request)) {
            request.exchange().respond(response);
        }
    }

    void failed(WorkerConnection worker, PoolRequest request, String message, boolean retry) {
        boolean wanted = request.state == PoolRequest.State.IN_FLIGHT;
        if (wanted && retry && request.retries < MAX_RETRIES) {
            // Nothing has failed yet: this worker did not begin with it, as one that leaves.
            request.retries++;
            request.gaveBack = worker;
            takeBack(worker, request);
            return;
        }
        if (wanted) {
            ledger.failed(worker, request.id, message);
        }
        if (finish(worker, request)) {
            request.exchange().fail(PoolFailures.HANDLER_FAILED);
        }
    }

    /**
     * Replays what the worker cannot have read whole, and what the pool's limits allow to be done
     * twice; the rest of what it held is lost.
     *
     * @param held in the order it was handed over
     */
    void left(WorkerConnection worker, LeaveReason reason, List<PoolRequest> held) {
        workers.remove(worker);
        if (workers.isEmpty()) {
            presenceChanged();
        }
        int lost = 0;
        for (PoolRequest request : held) {
            if (mayGoToAnother(worker, request)) {
                takeBack(worker, request);
            } else {
                ledger.lost(worker);
                if (end(request)) {
                    lost++;
                    request.exchange().fail(PoolFailures.WORKER_LOST);
                }
            }
        }
        listener.onLeft(worker, reason, lost);
        WorkerSlot slot = worker.slot();
        if (slot != null) {
            slot.left(reason);
        }
        dispatchQueued();
        completeIfDrained();
    }

    void dispatchQueued() {
        boolean more = !queue.isEmpty();
        while (more) {
            more = dispatchReturned() || dispatchNewcomer();
        }
    }

    void completeIfDrained() {
        if (draining && workers.isEmpty() && (supervisor == null || supervisor.isEmpty())) {
            drained.complete(null);
        }
    }

    private boolean dispatchReturned() {
        for (RequestQueue.Lane lane : queue.returned()) {
            PoolRequest request = lane.oldest();
            WorkerConnection worker = mostRoom(lane.avoided());
            if (request != null && worker != null) {
                dispatchFromQueue(request, worker);
                return true;
            }
        }
        return false;
    }

    private boolean dispatchNewcomer() {
        PoolRequest request = queue.next(loop.nanoTime());
        WorkerConnection worker = request == null ? null : mostRoom(null);
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
        ledger.dispatched(worker, request.waitNanos(now));
    }

    /**
     * @param gaveBack has refused the request, and gets it again only if nobody else is there
     */
    private @Nullable WorkerConnection mostRoom(@Nullable WorkerConnection gaveBack) {
        WorkerConnection avoided = gaveBack != null && hasOther(gaveBack) ? gaveBack : null;
        WorkerConnection best = null;
        int bestRoom = 0;
        int count = workers.size();
        for (int i = 0; i < count; i++) {
            WorkerConnection candidate = workers.get((turn + i) % count);
            if (candidate != avoided && candidate.room() > bestRoom) {
                best = candidate;
                bestRoom = candidate.room();
            }
        }
        turn = count == 0 ? 0 : (turn + 1) % count;
        return best;
    }

    private boolean hasOther(WorkerConnection than) {
        for (WorkerConnection worker : workers) {
            if (worker != than && worker.isOpen()) {
                return true;
            }
        }
        return false;
    }

    private void enqueue(PoolRequest request) {
        int most = limits.queueRequests(window());
        if (!queue.offer(request, most, loop.nanoTime(), this::rejectForRoom)) {
            rejectForRoom(request);
            return;
        }
        saturation.observe(queue, most, limits.queueBytes());
        request.state = PoolRequest.State.QUEUED;
        armExpiry();
    }

    private void rejectForRoom(PoolRequest request) {
        reject(request, Rejection.QUEUE_FULL);
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
        ledger.givenBack(worker);
        request.takeBack();
        if (draining) {
            reject(request, Rejection.DRAINING);
            return;
        }
        queue.putBack(request, loop.nanoTime());
        saturation.observe(queue, limits.queueRequests(window()), limits.queueBytes());
        armExpiry();
    }

    private void presenceChanged() {
        queue.workersPresent(!workers.isEmpty(), loop.nanoTime());
        cancelExpiry();
        armExpiry();
    }

    /** The timer is the only one for the whole queue; who comes later has to go later. */
    private void armExpiry() {
        PoolRequest oldest = expiry == null ? queue.oldest() : null;
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
        PoolRequest oldest = queue.oldest();
        while (oldest != null && expiresNanos(oldest) - loop.nanoTime() <= 0) {
            queue.remove(oldest);
            reject(oldest, why);
            oldest = queue.oldest();
        }
        armExpiry();
    }

    private long expiresNanos(PoolRequest request) {
        Duration patience = workers.isEmpty() ? limits.noWorkerGrace() : limits.queueTimeout();
        return queue.waitsSinceNanos(request) + patience.toNanos();
    }

    private void reject(PoolRequest request, Rejection reason) {
        request.end(loop.nanoTime());
        listener.onRejected(reason);
        request.exchange().fail(reason.failure());
    }

    private void cancel(PoolRequest request, Abandonment why) {
        WorkerConnection worker = request.worker;
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
        ledger.cancelled(worker, reason);
        request.timer =
                loop.scheduleAfter(
                        limits.cancelGrace().toNanos(), () -> worker.close(LeaveReason.STUCK));
    }

    /** A worker answered; returns whether the answer is still wanted. */
    private boolean finish(WorkerConnection worker, PoolRequest request) {
        long handlerNanos = loop.nanoTime() - request.dispatchedNanos;
        boolean wanted = end(request);
        if (wanted) {
            ledger.answered(worker, handlerNanos);
        } else {
            ledger.answeredLate(worker, handlerNanos);
        }
        return wanted;
    }

    /** Ends a request's time with a worker; returns whether an answer is still wanted. */
    private boolean end(PoolRequest request) {
        boolean wanted = request.state == PoolRequest.State.IN_FLIGHT;
        request.end(loop.nanoTime());
        return wanted;
    }

    private int window() {
        int window = 0;
        for (WorkerConnection worker : workers) {
            window += worker.isDraining() ? 0 : worker.window();
        }
        return window;
    }

    /** Looks again and again: whatever waits has a timeout, so this ends. */
    private void drainWhenQueueIsEmpty() {
        if (queue.isEmpty()) {
            beginDraining();
        } else {
            loop.scheduleAfter(RETIRE_LOOK_NANOS, this::drainWhenQueueIsEmpty);
        }
    }

    private void beginDraining() {
        if (draining) {
            return;
        }
        draining = true;
        rejectQueued();
        cancelExpiry();
        List.copyOf(workers).forEach(WorkerConnection::drain);
        if (supervisor != null) {
            supervisor.stop();
        }
        completeIfDrained();
    }

    private CompletableFuture<PoolChange> change(
            Function<Supervisor, CompletableFuture<PoolChange>> operation) {
        return onLoop(() -> {
            if (draining) {
                return told(new PoolChange.Refused("the pool is draining"));
            }
            if (supervisor == null) {
                return told(
                        new PoolChange.Refused("the workers of this pool are started elsewhere"));
            }
            return operation.apply(supervisor);
        });
    }

    private CompletableFuture<PoolChange> onLoop(Supplier<CompletableFuture<PoolChange>> change) {
        CompletableFuture<PoolChange> outcome = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                var _ = change.get().thenAccept(outcome::complete);
            } catch (RuntimeException bug) {
                outcome.completeExceptionally(bug);
                throw bug;
            }
        });
        return outcome;
    }

    private static CompletableFuture<PoolChange> told(PoolChange outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    private static PoolChange notConnected(String id) {
        return new PoolChange.Refused(id + " has no process at the moment");
    }

    private @Nullable WorkerConnection find(String id) {
        for (WorkerConnection worker : workers) {
            if (worker.id().equals(id)) {
                return worker;
            }
        }
        return null;
    }

    private void rejectQueued() {
        PoolRequest oldest = queue.oldest();
        while (oldest != null) {
            queue.remove(oldest);
            reject(oldest, Rejection.DRAINING);
            oldest = queue.oldest();
        }
    }

    private long oldestWaitNanos() {
        PoolRequest oldest = queue.oldest();
        return oldest == null ? 0 : oldest.waitNanos(loop.nanoTime());
    }

    private PoolSnapshot takeSnapshot() {
        int queueLimit = limits.queueRequests(window());
        saturation.observe(queue, queueLimit, limits.queueBytes());
        int inFlight = 0;
        List<PoolSnapshot.Worker> views = new ArrayList<>();
        for (WorkerConnection worker : workers) {
            inFlight += worker.inFlight();
            views.add(worker.view());
        }
        WorkerError lastError = null;
        if (supervisor != null) {
            lastError = supervisor.lastError();
            views.addAll(supervisor.unconnected());
        }
        return new PoolSnapshot(
                name,
                window(),
                inFlight,
                queue.size(),
                queue.bytes(),
                queueLimit,
                limits.queueBytes(),
                oldestWaitNanos(),
                saturation.isPresent(),
                queue.isOverloaded(loop.nanoTime()),
                draining,
                lastError == null ? "" : lastError.summary(),
                ledger.counts(),
                views);
    }
}

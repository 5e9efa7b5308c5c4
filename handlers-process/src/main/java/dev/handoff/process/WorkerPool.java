package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Handler;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerLimits;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one handler, and the requests that wait for them: who joins, how the pool is
 * doing, and how it ends.
 *
 * <p>Which worker gets a request is the {@link Dispatcher}'s, which processes there are the {@link
 * Supervisor}'s. Belongs to the thread of its loop; the public methods may be called from any.
 */
public final class WorkerPool {
    /** How many workers one pool may have. */
    public static final int MOST_PROCESSES = 1000;

    private static final long RETIRE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final String name;
    private final EventLoop loop;
    private volatile PoolLimits limits;
    private final ResponseRoom responseRoom;
    private final PoolListener listener;
    private final Dismissals dismissals = new Dismissals();
    private final DispatchLedger ledger;
    private final String server;
    private final ConnectedWorkers workers = new ConnectedWorkers();
    private final RequestQueue queue;
    private final QueueKeeper keeper;
    private final Dispatcher dispatcher;
    private final PoolChanges changes;
    private final FrameEncoder encoder = new FrameEncoder();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private @Nullable Supervisor supervisor;
    private boolean draining;
    private int externalCount;

    /** With room of its own for what workers send. */
    public WorkerPool(
            String name,
            EventLoop loop,
            PoolLimits limits,
            List<PoolListener> listeners,
            String server) {
        this(name, loop, limits, ServerLimits.DEFAULT.newResponseRoom(), listeners, server);
    }

    /**
     * @param responseRoom that of the HTTP server, for what workers send becomes its answers
     * @param listeners all of them hear everything, also when one throws
     * @param server what workers are told in {@code welcome}: name and version
     */
    public WorkerPool(
            String name,
            EventLoop loop,
            PoolLimits limits,
            ResponseRoom responseRoom,
            List<PoolListener> listeners,
            String server) {
        this.responseRoom = responseRoom;
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
                        workers::areBusy,
                        loop.clock().nanoTime());
        this.keeper = new QueueKeeper(loop, queue, workers, this::limits, this.listener);
        this.dispatcher = new Dispatcher(loop, workers, queue, keeper, ledger, this::limits);
        this.changes = new PoolChanges(this, loop, workers);
    }

    public String name() {
        return name;
    }

    /** What an HTTP server calls to have its requests answered by this pool. */
    public Handler handler() {
        return new PoolHandler(this, dispatcher);
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
        return changes.reload();
    }

    /**
     * Changes how many processes there shall be.
     *
     * @param count 1 to {@link #MOST_PROCESSES}
     * @return completes on the pool's loop, when those that were added take requests and those that
     *     are too many have ended
     */
    public CompletableFuture<PoolChange> scale(int count) {
        return changes.scale(count);
    }

    /**
     * Lets one worker finish what it holds and leave. One that the pool started has a new process
     * in its place first; if that does not get ready, it stays.
     *
     * @return completes on the pool's loop, when the worker has answered what it held and has left,
     *     or it has failed; {@link PoolChange.Unknown} if there is no worker of that id
     */
    public CompletableFuture<PoolChange> drainWorker(String id) {
        return changes.drainWorker(id);
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
        return changes.killWorker(id);
    }

    /**
     * Lets the workers finish what they hold, then ends them.
     *
     * @return completes when no worker is connected and no process of this pool is left
     */
    public CompletableFuture<Void> drain() {
        end(this::beginDraining);
        return drained;
    }

    /**
     * As {@link #drain}, but what waits in the queue is answered first. To be called when no more
     * requests come.
     */
    public CompletableFuture<Void> retire() {
        end(this::drainWhenQueueIsEmpty);
        return drained;
    }

    /** Where the loop has stopped, no worker is connected any more. */
    private void end(Runnable beginning) {
        if (!loop.tryExecute(beginning)) {
            drained.complete(null);
        }
    }

    /** Other limits, for requests and workers that come from now on. */
    public void limits(PoolLimits newLimits) {
        loop.tryExecute(() -> {
            limits = newLimits;
            queue.limits(newLimits);
        });
    }

    /** How the pool is doing, as its loop saw it at one moment. */
    public CompletableFuture<PoolSnapshot> snapshot() {
        return loop.ask(this::takeSnapshot);
    }

    /**
     * The requests that wait or that workers hold at one moment.
     *
     * @param most how many are described
     */
    public CompletableFuture<RequestsInHand> requestsInHand(int most) {
        return loop.ask(() -> {
            RequestsInHand.Search search = new RequestsInHand.Search(most);
            queue.forEach(search::add);
            workers.forEach(worker -> worker.held().forEach(search::add));
            return search.end(loop.nanoTime());
        });
    }

    /** The loop that it lives on. */
    public EventLoop loop() {
        return loop;
    }

    PoolLimits limits() {
        return limits;
    }

    /** What was wrong with workers that were started elsewhere. */
    Dismissals dismissals() {
        return dismissals;
    }

    ResponseRoom responseRoom() {
        return responseRoom;
    }

    PoolListener listener() {
        return listener;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    /** Null if the workers of this pool are started elsewhere. */
    @Nullable Supervisor supervisor() {
        return supervisor;
    }

    boolean isDraining() {
        return draining;
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
            if (!next.loop.tryRun(() -> next.admit(channel, hello, early, rest))) {
                WorkerSocket.turnAway(channel, "draining", "the core is shutting down", next);
            }
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
        if (slot == null && workers.size() >= MOST_PROCESSES) {
            WorkerSocket.turnAway(
                    channel,
                    "too_many_workers",
                    "pool " + name + " has " + MOST_PROCESSES + " workers, and takes no more",
                    this);
            return;
        }
        join(channel, hello, early, slot);
    }

    private void join(
            SocketChannel channel, Message.Hello hello, byte[] early, @Nullable WorkerSlot slot) {
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
            keeper.presenceChanged();
        }
        worker.welcome(server);
        if (slot != null) {
            slot.joined(worker);
        } else if (worker.window() > 0) {
            dismissals.workerReady();
        }
        listener.onJoined(worker);
        if (early.length > 0) {
            worker.onBytes(early, 0, early.length);
        }
        dispatcher.dispatchQueued();
    }

    /**
     * A worker's connection is closed.
     *
     * @param held what it had not answered, in the order it was handed over
     */
    void left(WorkerConnection worker, Departure departure, List<PoolRequest> held) {
        workers.remove(worker);
        if (workers.isEmpty()) {
            keeper.presenceChanged();
        }
        int lost = dispatcher.left(worker, departure.reason(), held);
        listener.onLeft(worker, departure, lost);
        WorkerSlot slot = worker.slot();
        if (slot != null) {
            slot.left(departure);
        } else if (departure.isDiagnosed()) {
            dismissals.add(worker, departure);
        }
        dispatcher.dispatchQueued();
        completeIfDrained();
    }

    void completeIfDrained() {
        if (draining && workers.isEmpty() && (supervisor == null || supervisor.isEmpty())) {
            drained.complete(null);
        }
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
        keeper.close();
        workers.forEach(WorkerConnection::drain);
        if (supervisor != null) {
            supervisor.stop();
        }
        completeIfDrained();
    }

    private PoolSnapshot takeSnapshot() {
        List<PoolSnapshot.Worker> views = new ArrayList<>();
        workers.forEach(worker -> views.add(worker.view()));
        WorkerError lastError = dismissals.latest();
        if (supervisor != null) {
            lastError = supervisor.lastError();
            views.addAll(supervisor.unconnected());
        }
        return new PoolSnapshot(
                name,
                workers.window(),
                workers.inFlight(),
                queue.size(),
                queue.bytes(),
                keeper.mostRequests(),
                limits.queueBytes(),
                keeper.oldestWaitNanos(),
                keeper.isSaturated(),
                queue.isOverloaded(loop.nanoTime()),
                draining,
                lastError == null ? "" : lastError.summary(),
                ledger.counts(),
                views);
    }
}

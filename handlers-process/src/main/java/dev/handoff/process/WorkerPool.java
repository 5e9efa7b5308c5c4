package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.dispatch.Dialect;
import dev.handoff.process.dispatch.OldestRequests;
import dev.handoff.process.dispatch.PoolDispatch;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.dispatch.PoolLoad;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.dispatch.WorkerPlace;
import dev.handoff.process.join.WorkerAccount;
import dev.handoff.process.join.WorkerEntrance;
import dev.handoff.process.join.WorkerSocket;
import dev.handoff.process.supervise.ExternalServers;
import dev.handoff.process.supervise.ExternalWorkers;
import dev.handoff.process.supervise.PoolChange;
import dev.handoff.process.supervise.ProcessStarter;
import dev.handoff.process.supervise.RecycleLimits;
import dev.handoff.process.supervise.Supervisor;
import dev.handoff.process.supervise.WorkerCommand;
import dev.handoff.process.supervise.WorkerError;
import dev.handoff.process.supervise.Workforce;
import dev.handoff.server.Handler;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerLimits;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one handler, and the requests that wait for them. Here the parts of a pool are put
 * together, and none of them knows this class: the {@link PoolDispatch} brings requests to workers,
 * the {@link Workforce} is where workers come from, and the {@link WorkerEntrance} lets them in.
 *
 * <p>Belongs to the thread of its loop; the public methods may be called from any.
 */
public final class WorkerPool {
    /** How many workers one pool may have. */
    public static final int MOST_PROCESSES = Workforce.MOST_WORKERS;

    private final String name;
    private final EventLoop loop;
    private final PoolListener listener;
    private final PoolDispatch dispatch;
    private final WorkerEntrance entrance;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private Workforce workforce;
    private boolean draining;

    /** With room of its own for what workers send. */
    public WorkerPool(
            String name,
            EventLoop loop,
            PoolLimits limits,
            List<PoolListener> listeners,
            String server) {
        this(
                name,
                WorkerAccount.Visitors.VISITORS,
                loop,
                Dialect.FRAMES,
                limits,
                ServerLimits.DEFAULT.newResponseRoom(),
                listeners,
                server);
    }

    /**
     * @param account whose processes may be its workers
     * @param dialect what its workers speak
     * @param responseRoom that of the HTTP server, for what workers send becomes its responses
     * @param listeners all of them hear everything, also when one throws
     * @param server what workers are told in {@code welcome}: name and version
     */
    public WorkerPool(
            String name,
            WorkerAccount account,
            EventLoop loop,
            Dialect dialect,
            PoolLimits limits,
            ResponseRoom responseRoom,
            List<PoolListener> listeners,
            String server) {
        this.name = name;
        this.loop = loop;
        this.listener = new GuardedListeners(listeners, loop);
        this.workforce = new ExternalWorkers(name, loop, listener);
        this.dispatch =
                new PoolDispatch(
                        name,
                        loop,
                        dialect,
                        limits,
                        responseRoom,
                        listener,
                        server,
                        this::completeIfDrained);
        this.entrance = new WorkerEntrance(name, account, loop, dispatch, listener, new Places());
    }

    /** Asks the workforce of the moment. */
    private final class Places implements WorkerEntrance.Places {
        @Override
        public @Nullable WorkerPlace claim(@Nullable String token, boolean isLast) {
            return workforce.claim(token, isLast);
        }

        @Override
        public int fullAt() {
            return workforce.fullAt();
        }
    }

    public String name() {
        return name;
    }

    /** The loop that it lives on. */
    public EventLoop loop() {
        return loop;
    }

    /** Where a {@link WorkerSocket} lets workers in. */
    public WorkerEntrance entrance() {
        return entrance;
    }

    /** Answers an HTTP server's requests with this pool's workers. */
    public Handler handler() {
        return dispatch.handler();
    }

    /** How filled it is: for those who choose one of several pools. */
    public PoolLoad load() {
        return dispatch.load();
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
            Supervisor supervisor =
                    new Supervisor(
                            name,
                            loop,
                            listener,
                            command,
                            recycling,
                            starter,
                            dispatch::join,
                            this::completeIfDrained);
            workforce = supervisor;
            supervisor.start(count);
        });
    }

    /**
     * Leaves it to others to start workers, and tells the listeners when none comes. To be called
     * at most once.
     */
    public void expectWorkers() {
        loop.run(() -> {
            if (workforce instanceof ExternalWorkers visitors) {
                visitors.expect();
            }
        });
    }

    /**
     * Sends requests to HTTP servers that are started elsewhere. To be called once, before the
     * first request.
     *
     * @param concurrency how many requests each takes at once
     */
    public void connect(List<ExternalServers.Place> places, int concurrency) {
        loop.run(() -> {
            ExternalServers servers =
                    new ExternalServers(name, loop, listener, places, concurrency, dispatch::join);
            workforce = servers;
            servers.start();
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
        return change(() -> draining ? refusedAsDraining() : workforce.reload());
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
            return refused("a pool has 1 to " + MOST_PROCESSES + " processes");
        }
        return change(() -> draining ? refusedAsDraining() : workforce.scale(count));
    }

    /**
     * Lets one worker finish what it holds and leave. One that the pool started has a new process
     * in its place first; if that does not get ready, it stays.
     *
     * @return completes on the pool's loop, when the worker has answered what it held and has left,
     *     or it has failed; {@link PoolChange.Unknown} if there is no worker of that id
     */
    public CompletableFuture<PoolChange> drainWorker(String id) {
        return change(() -> workforce.drain(id));
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
        return change(() -> CompletableFuture.completedFuture(workforce.kill(id)));
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
        end(() -> dispatch.whenQueueIsEmpty(this::beginDraining));
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
        loop.tryExecute(() -> dispatch.limits(newLimits));
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
    public CompletableFuture<OldestRequests> oldestRequests(int most) {
        return loop.ask(() -> dispatch.oldestRequests(most));
    }

    private PoolSnapshot takeSnapshot() {
        return dispatch.snapshot(draining, lastError(), workforce.unconnected());
    }

    /** While nobody is connected, it is of interest too who wanted to be. */
    private String lastError() {
        WorkerError failure = workforce.lastError();
        if (failure != null) {
            return failure.summary();
        }
        return dispatch.hasWorkers() ? "" : entrance.lastTurnedAway();
    }

    private void beginDraining() {
        if (draining) {
            return;
        }
        draining = true;
        entrance.close();
        dispatch.drain();
        workforce.stop();
        completeIfDrained();
    }

    private void completeIfDrained() {
        if (draining && !dispatch.hasWorkers() && workforce.isStopped()) {
            drained.complete(null);
        }
    }

    /** Makes the change on the pool's loop; may be called from any thread. */
    private CompletableFuture<PoolChange> change(Supplier<CompletableFuture<PoolChange>> change) {
        CompletableFuture<PoolChange> outcome = new CompletableFuture<>();
        Runnable task =
                () -> {
                    try {
                        var _ = change.get().thenAccept(outcome::complete);
                    } catch (RuntimeException bug) {
                        outcome.completeExceptionally(bug);
                        throw bug;
                    }
                };
        if (!loop.tryExecute(task)) {
            outcome.completeExceptionally(
                    new IllegalStateException("the event loop of the pool has stopped"));
        }
        return outcome;
    }

    private static CompletableFuture<PoolChange> refusedAsDraining() {
        return refused("the pool is draining");
    }

    private static CompletableFuture<PoolChange> refused(String reason) {
        return CompletableFuture.completedFuture(new PoolChange.Refused(reason));
    }
}

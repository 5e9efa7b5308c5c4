package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.dispatch.WorkerPlace;
import dev.handoff.process.dispatch.WorkerTally;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One place in a pool for a process that the core starts, and starts again when it ends. A slot on
 * trial, whose process is to replace another, ends instead if that does not get ready.
 *
 * <pre>
 *     STARTING --hello--> JOINED --connection ends--> LEAVING
 *      |   ^                |                            |
 *      |   | back-off       | process ends               | process ends
 *      v   |                v                            |
 *     WAITING <-----------------------------------------'
 *
 *     any --retire--> STOPPING --connection and process end--> ENDED
 * </pre>
 *
 * <p>Belongs to the pool's loop.
 */
final class WorkerSlot implements WorkerPlace, WorkerProcess.Owner {
    /** Hears what becomes of the processes of a slot. */
    interface Owner {
        /** The process takes requests, for the first time. */
        void ready(WorkerSlot slot);

        /** The process ended before it took requests, or could not be started. */
        void failed(WorkerSlot slot, WorkerError error);

        /** Nothing is left of the process, and there will be no other. */
        void ended(WorkerSlot slot);

        /**
         * The process is an HTTP server, and takes connections.
         *
         * @param host its address, as operators read it
         */
        void listens(WorkerSlot slot, SocketAddress server, String host);

        /** The process has come to the end of its {@link RecycleLimits}. */
        void recycle(WorkerSlot slot, ReplaceCause cause);
    }

    private enum State {
        STARTING,
        JOINED,
        LEAVING,
        WAITING,
        STOPPING,
        ENDED
    }

    private static final Duration MOST_DIAL_PAUSE = Duration.ofMillis(250);

    private final String pool;
    private final String id;
    private final EventLoop loop;
    private final ProcessListener listener;
    private final Owner owner;
    private final WorkerCommand command;
    private final ProcessStarter starter;
    private final HeldOutputs heldOutputs;
    private final Random random = new Random();
    private final BackOff backOff = new BackOff(random);
    private final RecycleLimits recycling;

    private State state = State.WAITING;
    private @Nullable Connection connection;

    /** Goes off when the process is to be started again. */
    private @Nullable Timer backOffEnd;

    /** The present process, or the last one; before the first one that was never started. */
    private ProcessRun run;

    /** Where the present process listens, if it is an HTTP server; else null. */
    private @Nullable ServerPlace place;

    /** While it is awaited there. */
    private @Nullable Dialer dialer;

    /** Whether the slot ends with its process, since that has not been ready yet. */
    private boolean onTrial;

    /** Whether the process is told to end, for another to start when it has. */
    private boolean renewing;

    private final WorkerTally tally = new WorkerTally();
    private int restarts;
    private @Nullable WorkerError lastError;

    /**
     * @param pool its name
     * @param onTrial whether the slot ends if its process does not get ready
     */
    WorkerSlot(
            String pool,
            String id,
            EventLoop loop,
            ProcessListener listener,
            Owner owner,
            WorkerCommand command,
            RecycleLimits recycling,
            ProcessStarter starter,
            HeldOutputs heldOutputs,
            boolean onTrial) {
        this.pool = pool;
        this.id = id;
        this.loop = loop;
        this.listener = listener;
        this.owner = owner;
        this.command = command;
        this.recycling = recycling;
        this.starter = starter;
        this.heldOutputs = heldOutputs;
        this.onTrial = onTrial;
        this.run = newRun();
    }

    @Override
    public String id() {
        return id;
    }

    void start() {
        run = newRun();
        state = State.STARTING;
        if (heldOutputs.areTooMany()) {
            loop.inNextTurn(() -> startFailed(HeldOutputs.complaint()));
            return;
        }
        WorkerCommand started = command;
        HttpServing http = command.http();
        if (http != null) {
            try {
                place = ServerPlace.choose(command, http);
            } catch (IOException failure) {
                loop.inNextTurn(() -> startFailed("there is no place to listen: " + failure));
                return;
            }
            started = place.command(command);
        }
        starter.start(
                this,
                started,
                started.environment(pool, id, run.token()),
                loop,
                listener,
                heldOutputs);
    }

    @Override
    public WorkerTally tally() {
        return tally;
    }

    /** The token that the process has to show in its hello; null when no hello is expected. */
    @Nullable String expectedToken() {
        return state == State.STARTING && place == null ? run.token() : null;
    }

    @Override
    public void started(WorkerProcess running) {
        run.started(running);
        listener.onStarted(id, running.pid());
        switch (state) {
            case STARTING -> {
                if (renewing) {
                    run.terminate();
                    return;
                }
                awaitReady();
                run.awaitHello(
                        ports -> listener.onUnconnected(id, pid(), ProcessRun.HELLO_NOTICE, ports));
                if (place != null) {
                    awaitListening(place);
                }
            }
            case JOINED -> {
                if (!run.wasReady()) {
                    awaitReady();
                }
            }
            case LEAVING, STOPPING -> run.terminate();
            case WAITING, ENDED -> throw new IllegalStateException("started while " + state);
        }
    }

    private void awaitListening(ServerPlace at) {
        ProcessRun awaited = run;
        try {
            dialer =
                    new Dialer(
                            loop,
                            at.addresses(),
                            MOST_DIAL_PAUSE,
                            server -> listens(awaited, at, server));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Somebody listens there: it has to be the process, and not one that was faster. */
    private void listens(ProcessRun awaited, ServerPlace at, SocketAddress server) {
        long asked = pid();
        Thread.startVirtualThread(() -> {
            boolean isOurs = at.isServedBy(asked);
            loop.tryExecute(() -> {
                if (run != awaited || state != State.STARTING || dialer == null) {
                    return;
                }
                if (isOurs) {
                    dialer = null;
                    owner.listens(this, server, at.text());
                } else {
                    dialer.goOn();
                }
            });
        });
    }

    private void leavePlace() {
        if (place != null) {
            place.remove();
        }
    }

    private void stopDialing() {
        if (dialer != null) {
            dialer.cancel();
            dialer = null;
        }
    }

    @Override
    public void startFailed(String reason) {
        leavePlace();
        // What starts next is as new as a renewal would be.
        renewing = false;
        long delayNanos = backOff.next(0);
        boolean again = isStartedAgain();
        hasFailed("cannot be started: " + reason, List.of());
        listener.onNeverJoined(id);
        listener.onStartFailed(id, reason, again ? toMillis(delayNanos) : -1);
        startAgain(delayNanos);
    }

    @Override
    public void joined(Connection worker) {
        connection = worker;
        run.joined();
        state = State.JOINED;
        if (worker.concurrency() > 0) {
            opened();
        }
    }

    @Override
    public void opened() {
        if (run.wasReady() || renewing || state != State.JOINED) {
            return;
        }
        run.becameReady();
        onTrial = false;
        run.recycling().begin(recycling, random);
        owner.ready(this);
    }

    @Override
    public void answered() {
        run.recycling().answered();
    }

    /** Takes note of the memory that a process of this slot holds, if it is the present one. */
    void hasMemory(long pid, long bytes) {
        if (pid == pid()) {
            run.recycling().holds(bytes);
        }
    }

    @Override
    public boolean isThere() {
        return run.isAlive();
    }

    @Override
    public boolean isReachedBy(SocketChannel connected) {
        return run.isAliveNow() && (place == null || place.isOf(connected));
    }

    boolean isUnconnected() {
        return connection == null;
    }

    /** Whether its worker takes requests. */
    boolean isReady() {
        return state == State.JOINED && run.wasReady();
    }

    /** Why its last process that failed did; null if none has. */
    @Nullable WorkerError lastError() {
        return lastError;
    }

    /** Whether an operator had its last process killed. */
    boolean wasEndedOnDemand() {
        return run.isEndedOnDemand();
    }

    /** Whether its worker gets no more requests. */
    boolean isDraining() {
        return connection != null && connection.isDraining();
    }

    @Override
    public long pid() {
        return run.pid();
    }

    /** The connection is closed, so the process has to end. */
    @Override
    public void left(Departure departure) {
        LeaveReason reason = departure.reason();
        connection = null;
        run.left(departure);
        if (departure.isDiagnosed()) {
            lastError = new WorkerError(id, departure.why(), List.of());
        }
        ProcessExit exit = run.exit();
        if (exit != null) {
            gone(exit);
            return;
        }
        if (state == State.JOINED) {
            state = State.LEAVING;
        }
        if (reason == LeaveReason.STUCK || reason == LeaveReason.KILLED) {
            run.kill();
        } else if (place == null) {
            run.awaitEnd();
        } else {
            // A server does not end by itself.
            run.terminate();
        }
    }

    /**
     * The last responses of the process may still be in the socket, whose end is waited for, unless
     * another process has inherited it.
     */
    @Override
    public void exited(ProcessExit told) {
        run.ended();
        stopDialing();
        Connection open = connection;
        if (open == null) {
            gone(told);
            return;
        }
        run.awaitConnectionEnd(told, () -> open.close(LeaveReason.CLOSED));
        if (place != null && open.inFlight() == 0 && open.streams() == 0) {
            // A server has a connection for each request alone, so none is waited for.
            open.close(LeaveReason.CLOSED);
        }
    }

    /**
     * Nothing is left of the process, nor of its connection, whose last words may have been that
     * the worker drained.
     */
    private void gone(ProcessExit end) {
        ProcessExit told = end.ifExpected(mayEnd());
        run.cancelTimer();
        leavePlace();
        boolean again = isStartedAgain();
        boolean asked = renewing;
        renewing = false;
        // An operator who ends a process does so for a new one.
        boolean isCrash = !asked && !run.isEndedOnDemand();
        long delayNanos = again && isCrash ? backOff.next(run.servedNanos()) : 0;
        if (!told.expected() || (onTrial && state != State.STOPPING)) {
            hasFailed(run.whyEnded(told), told.lastStderr());
        }
        if (!run.hasJoined() && run.isEndedOnDemand()) {
            listener.onKilledBeforeItJoined(id);
        } else if (!run.hasJoined() && !told.expected()) {
            listener.onNeverJoined(id);
        }
        listener.onExited(id, told, again ? toMillis(delayNanos) : -1);
        if (again && asked) {
            start();
        } else {
            startAgain(delayNanos);
        }
    }

    /** Lets the process finish what it holds and end, and then starts another. */
    void renew() {
        renewing = true;
        if (connection != null) {
            connection.drain();
        }
        switch (state) {
            case WAITING -> {
                cancelBackOff();
                renewing = false;
                start();
            }
            case STARTING -> run.terminate();
            case JOINED, LEAVING -> {}
            case STOPPING, ENDED -> throw new IllegalStateException("renewed while " + state);
        }
    }

    /**
     * Ends the process and the slot with it: at once if no worker has joined, else when it has
     * finished what it holds and left.
     */
    void retire() {
        State before = state;
        state = State.STOPPING;
        if (connection != null) {
            connection.drain();
        }
        switch (before) {
            case WAITING -> {
                cancelBackOff();
                end();
            }
            case STARTING -> run.terminate();
            case JOINED, LEAVING, STOPPING -> {}
            case ENDED -> throw new IllegalStateException("retired after its end");
        }
    }

    /**
     * Ends the process for an operator; what comes next is as after any other end.
     *
     * @return whether there is one
     */
    boolean killOnDemand() {
        Connection worker = connection;
        if (worker == null && !run.isRunning()) {
            return false;
        }
        run.endOnDemand();
        if (worker == null) {
            run.kill();
        } else {
            worker.close(LeaveReason.KILLED);
        }
        return true;
    }

    @Override
    public PoolSnapshot.Worker snapshot() {
        Connection worker = connection;
        String stateName =
                switch (state) {
                    case STARTING -> "starting";
                    case JOINED ->
                            worker != null && run.wasReady() ? worker.stateName() : "starting";
                    case LEAVING -> "leaving";
                    case WAITING -> "waiting";
                    case STOPPING, ENDED -> worker == null ? "leaving" : "draining";
                };
        return new PoolSnapshot.Worker(
                id,
                worker == null ? id : worker.name(),
                tally.serial(),
                pid(),
                worker == null ? "" : worker.host(),
                stateName,
                worker == null ? 0 : worker.concurrency(),
                worker == null ? 0 : worker.inFlight(),
                worker == null ? 0 : worker.streams(),
                worker == null ? 0 : worker.oldestNanos(),
                tally.counts(),
                run.startedAt(),
                restarts,
                run.recycling().memoryBytes(),
                lastError == null ? "" : lastError.summary());
    }

    @Override
    public boolean isRenewed() {
        return renewing;
    }

    @Override
    public boolean isAttended() {
        return command.attended();
    }

    private void awaitReady() {
        if (!command.attended()) {
            run.awaitReady(this::notReady);
        }
    }

    private void notReady() {
        listener.onNotReady(id, ProcessRun.START_TIMEOUT);
        if (connection == null) {
            run.terminate();
        } else {
            connection.closeAsStuck(
                    "it did not get ready within " + ProcessRun.START_TIMEOUT.toSeconds() + " s");
        }
    }

    /** Whether the process was asked to end, or said that it would. */
    private boolean mayEnd() {
        return state == State.STOPPING || renewing || run.hasDrained();
    }

    private boolean isStartedAgain() {
        return state != State.STOPPING && !onTrial;
    }

    private void startAgain(long delayNanos) {
        if (!isStartedAgain()) {
            end();
            return;
        }
        state = State.WAITING;
        restarts++;
        backOffEnd = loop.scheduleAfter(delayNanos, this::start);
    }

    private void hasFailed(String reason, List<String> lastStderr) {
        WorkerError error = new WorkerError(id, reason, lastStderr);
        lastError = error;
        if (!run.wasReady()) {
            owner.failed(this, error);
        }
    }

    private ProcessRun newRun() {
        return new ProcessRun(loop, new Recycling(loop, cause -> owner.recycle(this, cause)));
    }

    private void end() {
        state = State.ENDED;
        owner.ended(this);
    }

    private void cancelBackOff() {
        if (backOffEnd != null) {
            backOffEnd.cancel();
            backOffEnd = null;
        }
    }

    private static long toMillis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}

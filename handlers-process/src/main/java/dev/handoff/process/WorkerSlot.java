package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
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
final class WorkerSlot {
    private enum State {
        STARTING,
        JOINED,
        LEAVING,
        WAITING,
        STOPPING,
        ENDED
    }

    private final String name;
    private final WorkerPool pool;
    private final EventLoop loop;
    private final Supervisor supervisor;
    private final WorkerCommand command;
    private final ProcessStarter starter;
    private final Random random = new Random();
    private final BackOff backOff = new BackOff(random);
    private final RecycleLimits recycling;

    private State state = State.WAITING;
    private @Nullable WorkerConnection connection;

    /** Goes off when it is started again. */
    private @Nullable Timer backOffEnd;

    /** The present process, or the last one; before the first one that was never started. */
    private ProcessRun run;

    /** Whether the slot ends with its process, since that has not been ready yet. */
    private boolean onTrial;

    /** Whether the process is told to end, for another to start when it has. */
    private boolean renewing;

    private final WorkerTally tally = new WorkerTally();
    private int restarts;
    private @Nullable WorkerError lastError;

    WorkerSlot(
            String name,
            WorkerPool pool,
            Supervisor supervisor,
            WorkerCommand command,
            RecycleLimits recycling,
            ProcessStarter starter,
            boolean onTrial) {
        this.name = name;
        this.pool = pool;
        this.loop = pool.loop();
        this.supervisor = supervisor;
        this.command = command;
        this.recycling = recycling;
        this.starter = starter;
        this.onTrial = onTrial;
        this.run = newRun();
    }

    String name() {
        return name;
    }

    void start() {
        run = newRun();
        state = State.STARTING;
        starter.start(this, command, command.environment(pool.name(), name, run.token()), pool);
    }

    WorkerTally tally() {
        return tally;
    }

    /** What the process has to show in its hello; null when none is expected. */
    @Nullable String expectedToken() {
        return state == State.STARTING ? run.token() : null;
    }

    /** The process runs; much may have happened since it was asked for. */
    void started(WorkerProcess running) {
        run.started(running);
        pool.listener().onStarted(name, running.pid());
        switch (state) {
            case STARTING -> {
                if (renewing) {
                    run.terminate();
                    return;
                }
                awaitReady();
                run.awaitHello(ports ->
                        pool.listener().onUnconnected(name, pid(), ProcessRun.HELLO_NOTICE, ports));
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

    /** There is no process: the system would not start one. */
    void startFailed(String reason) {
        long delayNanos = backOff.next(0);
        boolean again = isStartedAgain();
        hasFailed("cannot be started: " + reason, List.of());
        pool.listener().onNeverJoined(name);
        pool.listener().onStartFailed(name, reason, again ? toMillis(delayNanos) : -1);
        startAgain(delayNanos);
    }

    void joined(WorkerConnection worker) {
        connection = worker;
        run.joined();
        state = State.JOINED;
        if (worker.window() > 0) {
            opened();
        }
    }

    /** The worker takes requests. */
    void opened() {
        if (run.wasReady() || renewing || state != State.JOINED) {
            return;
        }
        run.becameReady();
        onTrial = false;
        run.recycling().begin(recycling, random);
        supervisor.ready(this);
    }

    /** The worker has answered one more request. */
    void answered() {
        run.recycling().answered();
    }

    /** What a process of this slot was found to hold; it may not be the present one. */
    void hasMemory(long pid, long bytes) {
        if (pid == pid()) {
            run.recycling().holds(bytes);
        }
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

    /** Whether its last process was killed because somebody asked for it. */
    boolean wasEndedOnDemand() {
        return run.isEndedOnDemand();
    }

    /** The process the core started, or 0 while there is none. */
    long pid() {
        return run.pid();
    }

    /** The worker's connection is closed. The process has to follow. */
    void left(Departure departure) {
        LeaveReason reason = departure.reason();
        connection = null;
        run.left(departure);
        if (departure.isDiagnosed()) {
            lastError = new WorkerError(name, departure.why(), List.of());
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
        } else {
            run.awaitEnd();
        }
    }

    /**
     * The process is gone, and its output has been read. Its last answers may still be in the
     * socket, whose end is waited for, unless somebody has inherited it.
     */
    void exited(ProcessExit told) {
        run.ended();
        WorkerConnection open = connection;
        if (open == null) {
            gone(told);
        } else {
            run.awaitConnectionEnd(told, () -> open.close(LeaveReason.CLOSED));
        }
    }

    /** Nothing is left of the process, nor of its connection. */
    private void gone(ProcessExit told) {
        run.cancelTimer();
        boolean again = isStartedAgain();
        boolean asked = renewing;
        renewing = false;
        long delayNanos = again && !asked ? backOff.next(run.servedNanos()) : 0;
        if (!told.expected() || (onTrial && state != State.STOPPING)) {
            hasFailed(run.whyEnded(told), told.lastStderr());
        }
        if (!run.hasJoined() && run.isEndedOnDemand()) {
            pool.listener().onKilledBeforeItJoined(name);
        } else if (!run.hasJoined() && !told.expected()) {
            pool.listener().onNeverJoined(name);
        }
        pool.listener().onExited(name, told, again ? toMillis(delayNanos) : -1);
        if (again && asked) {
            start();
        } else {
            startAgain(delayNanos);
        }
    }

    /** Has the process finish what it holds and end, and then starts another. */
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
     * Ends the process and the slot with it: at once if nobody has joined, else when the worker has
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
     * Ends the process, as somebody wants; what comes next is as after any other end.
     *
     * @return whether there is one
     */
    boolean killOnDemand() {
        WorkerConnection worker = connection;
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

    /** As it is at this moment. */
    PoolSnapshot.Worker view() {
        WorkerConnection worker = connection;
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
                name,
                worker == null ? name : worker.name(),
                tally.serial,
                pid(),
                worker == null ? "" : worker.host(),
                stateName,
                worker == null ? 0 : worker.window(),
                worker == null ? 0 : worker.inFlight(),
                worker == null ? 0 : worker.oldestNanos(),
                tally.counts(),
                run.startedAt(),
                restarts,
                run.recycling().memoryBytes(),
                lastError == null ? "" : lastError.summary());
    }

    /** Whether the end of the process is what somebody asked for. */
    boolean mayEnd() {
        return state == State.STOPPING || renewing || run.hasDrained();
    }

    /** Whether somebody may have halted it, so that nothing it leaves undone is a fault. */
    boolean isAttended() {
        return command.attended();
    }

    private void awaitReady() {
        if (!command.attended()) {
            run.awaitReady(this::notReady);
        }
    }

    private void notReady() {
        pool.listener().onNotReady(name, ProcessRun.START_TIMEOUT);
        if (connection == null) {
            run.terminate();
        } else {
            connection.closeAsStuck(
                    "it did not get ready within " + ProcessRun.START_TIMEOUT.toSeconds() + " s");
        }
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
        WorkerError error = new WorkerError(name, reason, lastStderr);
        lastError = error;
        if (!run.wasReady()) {
            supervisor.failed(this, error);
        }
    }

    private ProcessRun newRun() {
        return new ProcessRun(loop, new Recycling(loop, cause -> supervisor.recycle(this, cause)));
    }

    private void end() {
        state = State.ENDED;
        supervisor.ended(this);
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

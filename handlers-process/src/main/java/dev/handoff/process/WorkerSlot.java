package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One place in a pool for a process that the core starts, and starts again when it ends.
 *
 * <pre>
 *     STARTING --hello--> JOINED --connection ends--> LEAVING
 *      |   ^                |                            |
 *      |   | back-off       | process ends               | process ends
 *      v   |                v                            |
 *     WAITING <-----------------------------------------'
 *
 *     any --stop--> STOPPING --connection and process end--> ENDED
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

    /** From the start of the process until it takes requests: its hello, with a window. */
    static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /** What a worker has to go by itself once its connection is closed, before it is told to. */
    static final Duration LEAVE_GRACE = Duration.ofSeconds(1);

    /** From TERM to KILL. */
    static final Duration TERM_GRACE = Duration.ofSeconds(5);

    private static final SecureRandom SECRETS = new SecureRandom();
    private static final int TOKEN_BYTES = 16;

    private final String name;
    private final WorkerPool pool;
    private final EventLoop loop;
    private final Supervisor supervisor;
    private final WorkerCommand command;
    private final ProcessStarter starter;
    private final BackOff backOff = new BackOff(new Random());

    private State state = State.WAITING;
    private @Nullable String token;
    private @Nullable WorkerProcess process;
    private @Nullable WorkerConnection connection;
    private @Nullable Timer timer;

    /** How the process ended, while its connection has not. */
    private @Nullable ProcessExit exit;

    private long joinedNanos;

    /** Whether the worker of the present process has taken requests. */
    private boolean ready;

    /** Whether the worker of the present process left because its work was done. */
    private boolean drained;

    WorkerSlot(
            String name,
            WorkerPool pool,
            Supervisor supervisor,
            WorkerCommand command,
            ProcessStarter starter) {
        this.name = name;
        this.pool = pool;
        this.loop = pool.loop();
        this.supervisor = supervisor;
        this.command = command;
        this.starter = starter;
    }

    String name() {
        return name;
    }

    void start() {
        byte[] secret = new byte[TOKEN_BYTES];
        SECRETS.nextBytes(secret);
        String newToken = HexFormat.of().formatHex(secret);
        token = newToken;
        state = State.STARTING;
        ready = false;
        drained = false;
        starter.start(this, command, environment(newToken), pool);
    }

    /** What the process has to show in its hello; null when none is expected. */
    @Nullable String expectedToken() {
        return state == State.STARTING ? token : null;
    }

    /** The process runs; much may have happened since it was asked for. */
    void started(WorkerProcess running) {
        process = running;
        pool.listener().onStarted(name, running.pid());
        switch (state) {
            case STARTING -> setTimer(START_TIMEOUT, this::notReady);
            case JOINED -> {
                if (!ready) {
                    setTimer(START_TIMEOUT, this::notReady);
                }
            }
            case LEAVING, STOPPING -> terminate();
            case WAITING, ENDED -> throw new IllegalStateException("started while " + state);
        }
    }

    /** There is no process: the system would not start one. */
    void startFailed(String reason) {
        long delayNanos = backOff.next(0);
        boolean again = state != State.STOPPING;
        pool.listener().onStartFailed(name, reason, again ? toMillis(delayNanos) : -1);
        startAgain(delayNanos);
    }

    void joined(WorkerConnection worker) {
        token = null;
        connection = worker;
        joinedNanos = loop.nanoTime();
        state = State.JOINED;
        if (worker.window() > 0) {
            opened();
        }
    }

    /** The worker takes requests. */
    void opened() {
        if (!ready) {
            ready = true;
            cancelTimer();
        }
    }

    /** The process the core started, or 0 while there is none. */
    long pid() {
        return process == null ? 0 : process.pid();
    }

    /** The worker's connection is closed. The process has to follow. */
    void left(LeaveReason reason) {
        connection = null;
        drained = reason == LeaveReason.DRAINED;
        if (exit != null) {
            gone(exit);
            return;
        }
        if (state == State.JOINED) {
            state = State.LEAVING;
        }
        if (reason == LeaveReason.STUCK) {
            kill();
        } else {
            setTimer(LEAVE_GRACE, this::terminate);
        }
    }

    /**
     * The process is gone, and its output has been read. Its last answers may still be in the
     * socket, whose end is waited for, unless somebody has inherited it.
     */
    void exited(ProcessExit told) {
        process = null;
        cancelTimer();
        WorkerConnection open = connection;
        if (open == null) {
            gone(told);
        } else {
            exit = told;
            setTimer(LEAVE_GRACE, () -> open.close(LeaveReason.CLOSED));
        }
    }

    /** Nothing is left of the process, nor of its connection. */
    private void gone(ProcessExit told) {
        exit = null;
        cancelTimer();
        boolean again = state != State.STOPPING;
        boolean served = joinedNanos != 0;
        long delayNanos = again ? backOff.next(served ? loop.nanoTime() - joinedNanos : 0) : 0;
        joinedNanos = 0;
        pool.listener().onExited(name, told, again ? toMillis(delayNanos) : -1);
        startAgain(delayNanos);
    }

    /**
     * Ends the process and the slot with it: at once if nobody has joined, else when the worker,
     * which the pool has told to drain, has left.
     */
    void stop() {
        State before = state;
        state = State.STOPPING;
        switch (before) {
            case WAITING -> {
                cancelTimer();
                end();
            }
            case STARTING -> terminate();
            case JOINED, LEAVING, STOPPING -> {}
            case ENDED -> throw new IllegalStateException("stopped after its end");
        }
    }

    /** Whether the end of the process is what somebody asked for. */
    boolean mayEnd() {
        return state == State.STOPPING || drained;
    }

    private void notReady() {
        pool.listener().onNotReady(name, START_TIMEOUT);
        if (connection == null) {
            terminate();
        } else {
            connection.close(LeaveReason.STUCK);
        }
    }

    private void startAgain(long delayNanos) {
        if (state == State.STOPPING) {
            end();
            return;
        }
        state = State.WAITING;
        timer = loop.scheduleAfter(delayNanos, this::start);
    }

    private void end() {
        state = State.ENDED;
        supervisor.ended(this);
    }

    /** Without a process, that of a start under way is ended as soon as it is there. */
    private void terminate() {
        if (process != null) {
            process.terminate();
            setTimer(TERM_GRACE, this::kill);
        }
    }

    private void kill() {
        if (process != null) {
            process.kill();
        }
    }

    private Map<String, String> environment(String secret) {
        Map<String, String> environment = new HashMap<>(command.environment());
        environment.put("HANDOFF_SOCKET", command.socket().toString());
        environment.put("HANDOFF_POOL", pool.name());
        environment.put("HANDOFF_WORKER", name);
        environment.put("HANDOFF_TOKEN", secret);
        return environment;
    }

    private void setTimer(Duration delay, Runnable action) {
        cancelTimer();
        timer = loop.scheduleAfter(delay.toNanos(), action);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private static long toMillis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}

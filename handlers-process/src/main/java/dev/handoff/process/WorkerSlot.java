package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
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
    private final Random random = new Random();
    private final BackOff backOff = new BackOff(random);
    private final RecycleLimits recycling;

    private State state = State.WAITING;
    private @Nullable String token;
    private @Nullable WorkerProcess process;
    private @Nullable WorkerConnection connection;
    private @Nullable Timer timer;

    /** How the process ended, while its connection has not. */
    private @Nullable ProcessExit exit;

    private long joinedNanos;

    /** Whether the slot ends with its process, since that has not been ready yet. */
    private boolean onTrial;

    /** Whether the worker of the present process has taken requests. */
    private boolean ready;

    /** Whether the present process is told to end because it did not get ready in time. */
    private boolean late;

    /** Whether the present process is ended because somebody asked for it. */
    private boolean onDemand;

    /** Whether the worker of the present process left because its work was done. */
    private boolean drained;

    private final WorkerTally tally = new WorkerTally();
    private @Nullable Instant startedAt;
    private int restarts;
    private @Nullable WorkerError lastError;

    /** When the present process is to be replaced, and how far it is on the way there. */
    private RecycleLimits recycledAt = RecycleLimits.NONE;

    private @Nullable Timer age;
    private long answered;
    private long memoryBytes;

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
        late = false;
        onDemand = false;
        drained = false;
        answered = 0;
        memoryBytes = 0;
        starter.start(this, command, environment(newToken), pool);
    }

    WorkerTally tally() {
        return tally;
    }

    /** What the process has to show in its hello; null when none is expected. */
    @Nullable String expectedToken() {
        return state == State.STARTING ? token : null;
    }

    /** The process runs; much may have happened since it was asked for. */
    void started(WorkerProcess running) {
        process = running;
        startedAt = Instant.ofEpochSecond(loop.clock().epochSeconds());
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
        boolean again = isStartedAgain();
        hasFailed("cannot be started: " + reason, List.of());
        pool.listener().onNeverJoined(name);
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
        if (ready || state != State.JOINED) {
            return;
        }
        ready = true;
        onTrial = false;
        cancelTimer();
        recycledAt = recycling.jittered(random);
        if (!recycledAt.age().isZero()) {
            age = loop.scheduleAfter(recycledAt.age().toNanos(), () -> recycle(ReplaceCause.AGE));
        }
        supervisor.ready(this);
    }

    /** The worker has answered one more request. */
    void answered() {
        answered++;
        if (answered == recycledAt.requests()) {
            recycle(ReplaceCause.REQUESTS);
        }
    }

    /** What a process of this slot was found to hold; it may not be the present one. */
    void hasMemory(long pid, long bytes) {
        if (pid == pid()) {
            memoryBytes = bytes;
            if (ready && recycledAt.memoryBytes() > 0 && bytes > recycledAt.memoryBytes()) {
                recycle(ReplaceCause.MEMORY);
            }
        }
    }

    boolean isUnconnected() {
        return connection == null;
    }

    /** Whether its worker takes requests. */
    boolean isReady() {
        return state == State.JOINED && ready;
    }

    /** Why its last process that failed did; null if none has. */
    @Nullable WorkerError lastError() {
        return lastError;
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
        if (reason == LeaveReason.STUCK || reason == LeaveReason.KILLED) {
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
        startedAt = null;
        cancelTimer();
        if (age != null) {
            age.cancel();
            age = null;
        }
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
        boolean again = isStartedAgain();
        boolean served = joinedNanos != 0;
        long delayNanos = again ? backOff.next(served ? loop.nanoTime() - joinedNanos : 0) : 0;
        joinedNanos = 0;
        if (!told.expected() || (onTrial && state != State.STOPPING)) {
            hasFailed(whyEnded(told), told.lastStderr());
        }
        if (!served && onDemand) {
            pool.listener().onKilledBeforeItJoined(name);
        } else if (!served && !told.expected()) {
            pool.listener().onNeverJoined(name);
        }
        pool.listener().onExited(name, told, again ? toMillis(delayNanos) : -1);
        startAgain(delayNanos);
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
                cancelTimer();
                end();
            }
            case STARTING -> terminate();
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
        if (worker == null && process == null) {
            return false;
        }
        onDemand = true;
        if (worker == null) {
            kill();
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
                    case JOINED -> worker != null && ready ? worker.stateName() : "starting";
                    case LEAVING -> "leaving";
                    case WAITING -> "waiting";
                    case STOPPING, ENDED -> worker == null ? "leaving" : "draining";
                };
        return new PoolSnapshot.Worker(
                name,
                worker == null ? name : worker.name(),
                tally.serial,
                pid(),
                stateName,
                worker == null ? 0 : worker.window(),
                worker == null ? 0 : worker.inFlight(),
                worker == null ? 0 : worker.oldestNanos(),
                tally.counts(),
                startedAt,
                restarts,
                memoryBytes,
                lastError == null ? "" : lastError.summary());
    }

    /** Whether the end of the process is what somebody asked for. */
    boolean mayEnd() {
        return state == State.STOPPING || drained;
    }

    private void notReady() {
        late = true;
        pool.listener().onNotReady(name, START_TIMEOUT);
        if (connection == null) {
            terminate();
        } else {
            connection.close(LeaveReason.STUCK);
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
        timer = loop.scheduleAfter(delayNanos, this::start);
    }

    private void hasFailed(String reason, List<String> lastStderr) {
        WorkerError error = new WorkerError(name, reason, lastStderr);
        lastError = error;
        if (!ready) {
            supervisor.failed(this, error);
        }
    }

    private String whyEnded(ProcessExit told) {
        if (late) {
            return "did not get ready within " + START_TIMEOUT.toSeconds() + " s";
        }
        if (onDemand) {
            return "killed on demand";
        }
        return told.describe() + (ready ? "" : " before it was ready");
    }

    private void recycle(ReplaceCause cause) {
        supervisor.recycle(this, cause);
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

package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.LeaveReason;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One process of a {@link WorkerSlot}, from when it is asked for until the next one is: what has
 * become of it, how long it may take for each step, and how it is made to end. The slot decides
 * what comes next. Belongs to the pool's loop.
 */
final class ProcessRun {
    /** From the start of the process until it takes requests: its hello, with a concurrency. */
    static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /** A process that has not said hello by then may know nothing of Handoff. */
    static final Duration HELLO_NOTICE = Duration.ofSeconds(5);

    /** The time that a worker has to end by itself after its connection is closed. */
    static final Duration LEAVE_GRACE = Duration.ofSeconds(1);

    /** From TERM to KILL. */
    static final Duration TERM_GRACE = Duration.ofSeconds(5);

    private static final SecureRandom SECRETS = new SecureRandom();
    private static final int TOKEN_BYTES = 16;

    private final EventLoop loop;

    /** The secret that it has to show in its hello. */
    private final String token = newToken();

    private final Recycling recycling;

    private @Nullable WorkerProcess process;
    private @Nullable Instant startedAt;
    private @Nullable Timer timer;
    private @Nullable Timer notice;
    private boolean joined;
    private long readyNanos;

    /** Whether its worker has taken requests. */
    private boolean ready;

    /** Whether it is told to end because it did not get ready in time. */
    private boolean late;

    /** Whether an operator asked for its end. */
    private boolean onDemand;

    /** Whether its worker left because its work was done. */
    private boolean drained;

    /** The fault that the core found in its worker, which is why it ends. */
    private String diagnosis = Departure.NOTHING_WRONG;

    /** How it ended, while its connection has not. */
    private @Nullable ProcessExit exit;

    ProcessRun(EventLoop loop, Recycling recycling) {
        this.loop = loop;
        this.recycling = recycling;
    }

    String token() {
        return token;
    }

    /** When it is to be replaced though nothing is wrong with it. */
    Recycling recycling() {
        return recycling;
    }

    void started(WorkerProcess running) {
        process = running;
        startedAt = Instant.ofEpochSecond(loop.clock().epochSeconds());
    }

    /** From now on it has to get ready in time. */
    void awaitReady(Runnable whenLate) {
        setTimer(
                START_TIMEOUT,
                () -> {
                    late = true;
                    whenLate.run();
                });
    }

    /** Calls back if it has not joined when that should be told, with where it listens instead. */
    void awaitHello(Consumer<SortedSet<Integer>> whenLate) {
        long asked = pid();
        notice =
                loop.scheduleAfter(
                        HELLO_NOTICE.toNanos(),
                        // The files of a process may be slow to read when it is busy.
                        () ->
                                Thread.startVirtualThread(() -> {
                                    SortedSet<Integer> ports = ListeningPorts.of(asked);
                                    loop.tryExecute(() -> {
                                        if (isRunning() && !joined) {
                                            whenLate.accept(ports);
                                        }
                                    });
                                }));
    }

    void joined() {
        cancelNotice();
        joined = true;
    }

    boolean hasJoined() {
        return joined;
    }

    /** The time since its worker has taken requests; 0 if it never did. */
    long servedNanos() {
        return ready ? Math.max(1, loop.nanoTime() - readyNanos) : 0;
    }

    /** Its worker takes requests. */
    void becameReady() {
        ready = true;
        readyNanos = loop.nanoTime();
        cancelTimer();
    }

    boolean wasReady() {
        return ready;
    }

    /** Its worker's connection is closed. */
    void left(Departure departure) {
        drained = departure.reason() == LeaveReason.DRAINED;
        diagnosis = departure.why();
    }

    boolean hasDrained() {
        return drained;
    }

    void endOnDemand() {
        onDemand = true;
    }

    boolean isEndedOnDemand() {
        return onDemand;
    }

    /** Lets it end by itself, then tells it to. */
    void awaitEnd() {
        setTimer(LEAVE_GRACE, this::terminate);
    }

    /** Tells it to end. One that is being started has to be told when it is there. */
    void terminate() {
        if (process != null) {
            process.terminate();
            setTimer(TERM_GRACE, this::kill);
        }
    }

    void kill() {
        if (process != null) {
            process.kill();
        }
    }

    /** The process is gone. */
    void ended() {
        process = null;
        startedAt = null;
        cancelTimer();
        cancelNotice();
        recycling.end();
    }

    private void cancelNotice() {
        if (notice != null) {
            notice.cancel();
            notice = null;
        }
    }

    /** It is gone before its worker's connection, which may end by itself, too. */
    void awaitConnectionEnd(ProcessExit told, Runnable whenLate) {
        exit = told;
        setTimer(LEAVE_GRACE, whenLate);
    }

    /** How it ended; null while it has not, or its connection is still to end. */
    @Nullable ProcessExit exit() {
        return exit;
    }

    /** Nothing is awaited any more. */
    void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Whether there is one: it has been started, and has not ended. */
    boolean isRunning() {
        return process != null;
    }

    /** Whether there is one that lives. */
    boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** The same, as the system knows at this moment. */
    boolean isAliveNow() {
        return process != null && process.isAliveNow();
    }

    /** 0 while there is no process. */
    long pid() {
        return process == null ? 0 : process.pid();
    }

    /** Null while there is no process. */
    @Nullable Instant startedAt() {
        return startedAt;
    }

    /** In words. */
    String whyEnded(ProcessExit told) {
        if (late) {
            return "did not get ready within " + START_TIMEOUT.toSeconds() + " s";
        }
        if (onDemand) {
            return "killed on demand";
        }
        if (!diagnosis.isEmpty()) {
            return diagnosis + "; then " + told.describe();
        }
        return told.describe() + (ready ? "" : " before it was ready");
    }

    private void setTimer(Duration delay, Runnable action) {
        cancelTimer();
        timer = loop.scheduleAfter(delay.toNanos(), action);
    }

    private static String newToken() {
        byte[] secret = new byte[TOKEN_BYTES];
        SECRETS.nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }
}

package dev.handoff.launcher;

import dev.handoff.launcher.log.LogMessage;
import dev.handoff.process.PoolListener;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.dispatch.Worker;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.ProtocolFault;
import dev.handoff.process.supervise.PoolChange;
import dev.handoff.process.supervise.ProcessExit;
import dev.handoff.process.supervise.ReplaceCause;
import dev.handoff.process.supervise.WorkerError;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Logs what happens to workers, and passes on what they write. Called on the pool's loop, but for
 * {@link #onOutput}.
 */
final class PoolLog implements PoolListener {
    private static final System.Logger LOG = System.getLogger(PoolLog.class.getName());
    private static final int PER_SECOND = 5;

    /** After so many starts in a row without a worker, the log says what that means. */
    private static final int HOPELESS_STARTS = 5;

    /** For those who start a program that knows nothing of Handoff. */
    private static final String WORKERS_CALL =
            "a worker connects to HANDOFF_SOCKET and says hello, see docs/PROTOCOL.md";

    private final String pool;

    /** Of the processes started here; empty if there are none. */
    private final String command;

    private final RepeatLimit rejections = limited(1, Level.WARNING);
    private final RepeatLimit noRoom = limited(1, Level.WARNING);
    private final RepeatLimit turnedAway = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit faults = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit handlerFailures = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit unknownIds = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit visits = limited(PER_SECOND, Level.INFO);
    private final Set<String> servingProcesses = new HashSet<>();
    private int startsWithoutWorker;

    /** Until one has joined, it is not promised that one is started again. */
    private final boolean mustStart;

    private boolean anyJoined;

    /**
     * @param pool its name
     * @param command what the processes run, in one line; null if none are started
     * @param mustStart whether it is the end of the server if none of them becomes ready
     */
    PoolLog(String pool, @Nullable String command, boolean mustStart) {
        this.pool = pool;
        this.mustStart = mustStart;
        this.command = command == null ? "" : command;
    }

    @Override
    public void onJoined(Worker worker) {
        if (!command.isEmpty()) {
            servingProcesses.add(worker.id());
        }
        startsWithoutWorker = 0;
        anyJoined = true;
        visits.tell(() -> about(worker.id(), describe(worker)));
    }

    @Override
    public void onLeft(Worker worker, Departure departure, int lost) {
        LeaveReason reason = departure.reason();
        String what =
                switch (reason) {
                    case DRAINED -> " has finished and left";
                    case CLOSED -> " closed its connection";
                    case PROTOCOL_FAULT -> " was disconnected for its protocol fault";
                    case FRAME_TIMEOUT -> " was disconnected in the middle of a frame";
                    case STUCK -> " is stuck and was disconnected: " + departure.why();
                    case KILLED -> " was ended as an operator wanted";
                    case STOPPED -> " was disconnected by the stop";
                };
        LogMessage message =
                about(
                        worker.id(),
                        worker.id() + what + (lost == 0 ? "" : ": requests lost with it: " + lost));
        if (lost > 0 || reason == LeaveReason.STUCK) {
            LOG.log(Level.WARNING, message);
        } else {
            visits.tell(() -> message);
        }
    }

    @Override
    public void onProtocolFault(Worker worker, Decoded.Refused fault) {
        faults.tell(() ->
                about(
                        worker.id(),
                        "%s broke the protocol (%s): %s%s"
                                .formatted(
                                        worker.id(),
                                        fault.fault().wireName(),
                                        fault.inWords(),
                                        optionOf(fault.fault()))));
    }

    /** The number is in the fault's own words. */
    private static String optionOf(ProtocolFault fault) {
        return fault == ProtocolFault.FRAME_BODY_TOO_LONG
                ? " (" + Limits.MAX_RESPONSE.flag() + ")"
                : "";
    }

    @Override
    public void onHandlerFailure(Worker worker, long id, String message) {
        handlerFailures.tell(
                () -> about(worker.id(), "the handler failed in " + worker.id() + ": " + message));
    }

    @Override
    public void onUnknownId(Worker worker, long id) {
        unknownIds.tell(() ->
                about(
                        worker.id(),
                        "%s answered id %d, which %s: the answer is dropped"
                                .formatted(
                                        worker.id(),
                                        id,
                                        worker.wasHanded(id)
                                                ? "it has answered or given back already"
                                                : "was never handed to it")));
    }

    @Override
    public void onTurnedAway(String code, String message) {
        turnedAway.tell(() ->
                about("somebody on the worker socket was turned away (" + code + "): " + message));
    }

    @Override
    public void onRejected(Rejection reason, long limit) {
        rejections.tell(() ->
                about(
                        "a request got no worker of pool %s: 503 %s%s"
                                .formatted(pool, reason.code(), limitInWords(reason, limit))));
    }

    @Override
    public void onNoRoom(Worker worker, int bodyBytes, long limitBytes) {
        noRoom.tell(() ->
                about(
                        worker.id(),
                        ("an answer of %s from %s was dropped, 503 responses_full: answers that"
                                        + " come, and those that clients have not taken, may hold"
                                        + " %s together (half of %s)")
                                .formatted(
                                        Units.formatSize(bodyBytes),
                                        worker.id(),
                                        Units.formatSize(limitBytes),
                                        Limits.MAX_BUFFERED.flag())));
    }

    @Override
    public void onSlowResponse(Worker worker, int bodyBytes) {
        noRoom.tell(() ->
                about(
                        worker.id(),
                        ("an answer of %s from %s was dropped, 503 responses_full: the worker sent"
                                        + " less than 64 KiB of it in 0.2 s, while others waited"
                                        + " for its room")
                                .formatted(Units.formatSize(bodyBytes), worker.id())));
    }

    /** Which option to look at, and what it is set to. */
    private static String limitInWords(Rejection reason, long limit) {
        return switch (reason) {
            case QUEUE_FULL -> ": " + Limits.told(Limits.QUEUE_REQUESTS, (int) limit);
            case QUEUE_BYTES -> ": " + Limits.told(Limits.QUEUE_BYTES, limit);
            case QUEUE_TIMEOUT -> timeInWords(Limits.QUEUE_TIMEOUT, limit);
            case NO_WORKER -> timeInWords(Limits.NO_WORKER_GRACE, limit);
            case DRAINING -> "";
        };
    }

    private static String timeInWords(Setting<Duration> setting, long millis) {
        return ": " + Limits.told(setting, Duration.ofMillis(millis));
    }

    @Override
    public void onStarted(String worker, long pid) {
        LOG.log(Level.DEBUG, about(worker, worker + " is process " + pid));
    }

    @Override
    public void onUnconnected(String worker, long pid, Duration running, SortedSet<Integer> ports) {
        String listens =
                ports.isEmpty()
                        ? ""
                        : "; it listens by itself on port "
                                + ports.stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(" and "));
        LOG.log(
                Level.WARNING,
                about(
                        worker,
                        "%s (process %d) has not connected after %s, and gets no requests until then%s; %s"
                                .formatted(
                                        worker,
                                        pid,
                                        Units.formatTime(running),
                                        listens,
                                        WORKERS_CALL)));
    }

    @Override
    public void onNotReady(String worker, Duration timeout) {
        LOG.log(
                Level.ERROR,
                about(
                        worker,
                        "%s did not get ready within %s, so it is ended; %s"
                                .formatted(worker, Units.formatTime(timeout), WORKERS_CALL)));
    }

    @Override
    public void onExited(String worker, ProcessExit exit, long restartMillis) {
        boolean served = servingProcesses.remove(worker);
        if (exit.expected() || restartMillis < 0) {
            LOG.log(
                    Level.DEBUG,
                    about(
                            worker,
                            "%s ended: %s; %s"
                                    .formatted(worker, exit.describe(), restart(restartMillis))));
        } else if (served) {
            LOG.log(
                    Level.WARNING,
                    about(
                            worker,
                            "%s ended: %s; %s"
                                    .formatted(worker, exit.describe(), restart(restartMillis))));
        } else {
            neverServed(
                    worker,
                    "%s ended before it was ready: %s%s%s"
                            .formatted(
                                    worker,
                                    exit.describe(),
                                    lastWords(exit),
                                    restartOfFirst(restartMillis)));
        }
    }

    @Override
    public void onStartFailed(String worker, String reason, long restartMillis) {
        if (restartMillis < 0) {
            return;
        }
        neverServed(
                worker,
                "%s cannot be started: %s%s"
                        .formatted(worker, reason, restartOfFirst(restartMillis)));
    }

    @Override
    public void onReload(int workers) {
        LOG.log(Level.INFO, about("reload: replacing " + workersInWords(workers)));
    }

    @Override
    public void onReplaced(String old, String successor, ReplaceCause cause) {
        LOG.log(
                Level.INFO,
                about(
                        successor,
                        old.equals(successor)
                                ? "%s: %s serves again, as a new process"
                                        .formatted(describe(cause), successor)
                                : "%s: %s serves in place of %s, which finishes what it holds"
                                        .formatted(describe(cause), successor, old)));
    }

    /** Of a reload it is told with its end. */
    @Override
    public void onNotReplaced(String old, WorkerError error, ReplaceCause cause) {
        if (cause != ReplaceCause.RELOAD) {
            LOG.log(
                    Level.ERROR,
                    about(
                            old,
                            error.worker().equals(old)
                                    ? "%s: the new process of %s"
                                            .formatted(describe(cause), describe(error))
                                    : "%s: %s goes on, since its successor failed: %s"
                                            .formatted(describe(cause), old, describe(error))));
        }
    }

    @Override
    public void onReloaded(PoolChange outcome) {
        switch (outcome) {
            case PoolChange.Done(int workers) ->
                    LOG.log(
                            Level.INFO,
                            about("reload: done, " + workersInWords(workers) + " replaced"));
            case PoolChange.Failed(int workers, WorkerError error) ->
                    LOG.log(
                            Level.ERROR,
                            about(
                                    "reload: failed, %s replaced; the others go on as they are: %s"
                                            .formatted(workersInWords(workers), describe(error))));
            case PoolChange.Refused(String reason) ->
                    LOG.log(Level.WARNING, about("reload: given up, " + reason));
            case PoolChange.Unknown() ->
                    throw new IllegalArgumentException("a reload is of a pool that is there");
        }
    }

    @Override
    public void onOverload(boolean present) {
        LOG.log(
                present ? Level.WARNING : Level.INFO,
                about(
                        present
                                ? "more comes than the workers can do: the newest requests go first"
                                : "the workers keep up again: requests go first come, first"
                                        + " served"));
    }

    @Override
    public void onScaled(int from, int to) {
        LOG.log(Level.INFO, about("scaling from " + from + " to " + workersInWords(to)));
    }

    @Override
    public void onOutput(String worker, Output stream, String line) {
        switch (stream) {
            case STDOUT -> Console.STDOUT.print(outputLine(worker, "stdout", line));
            case STDERR -> Console.STDERR.print(outputLine(worker, "stderr", line));
        }
    }

    private String outputLine(String worker, String stream, String line) {
        return LogLines.outputLine(pool, worker, stream, line);
    }

    private LogMessage about(String text) {
        return LogMessage.ofPool(pool, text);
    }

    private LogMessage about(String worker, String text) {
        return LogMessage.ofWorker(pool, worker, text);
    }

    private static String workersInWords(int count) {
        return count == 1 ? "1 worker" : count + " workers";
    }

    private static String describe(ReplaceCause cause) {
        return switch (cause) {
            case RELOAD -> "reload";
            case DRAIN -> "drain of a worker";
            case REQUESTS -> "recycling after many requests";
            case AGE -> "recycling after a long time";
            case MEMORY -> "recycling for its memory";
        };
    }

    /** With its last lines on stderr below, and what to do. */
    private static String describe(WorkerError error) {
        StringBuilder text = new StringBuilder(error.worker()).append(": ").append(error.reason());
        error.lastStderr().forEach(line -> text.append('\n').append(line));
        String advice = PortAdvice.ofSuccessor(error.lastStderr());
        return advice.isEmpty() ? text.toString() : text.append('\n').append(advice).toString();
    }

    private String describe(Worker worker) {
        StringBuilder text = new StringBuilder(worker.id()).append(" is connected (");
        if (!worker.name().equals(worker.id())) {
            text.append(worker.name()).append(", ");
        }
        if (worker.pid() > 0) {
            text.append("process ").append(worker.pid()).append(", ");
        }
        // Of those that the core started it is its own.
        if (command.isEmpty() && !worker.host().isEmpty()) {
            text.append("host ").append(worker.host()).append(", ");
        }
        int window = worker.concurrency();
        return text.append(window == 0 ? "not ready yet" : "window " + window)
                .append(')')
                .toString();
    }

    private void neverServed(String worker, String message) {
        LOG.log(Level.ERROR, about(worker, message));
        startsWithoutWorker++;
        if (startsWithoutWorker == HOPELESS_STARTS) {
            LOG.log(
                    Level.ERROR,
                    about(
                            "no worker of pool %s has become ready in %d starts, so requests get 503; each runs: %s; %s"
                                    .formatted(pool, HOPELESS_STARTS, command, WORKERS_CALL)));
        }
    }

    /** The rest of its stderr stands above, passed on line by line; the last mostly says why. */
    private static String lastWords(ProcessExit exit) {
        String words = exit.lastComplaint();
        String advice = PortAdvice.ofStart(exit.lastStderr());
        return (words.isEmpty() ? "" : " (" + words + ")")
                + (advice.isEmpty() ? "" : "; " + advice);
    }

    private String restartOfFirst(long millis) {
        return mustStart && !anyJoined ? "" : "; " + restart(millis);
    }

    private static String restart(long millis) {
        if (millis < 0) {
            return "it is not started again";
        }
        return millis == 0 ? "starting it again" : "starting it again in " + millis + " ms";
    }

    private static RepeatLimit limited(int perSecond, Level level) {
        return new RepeatLimit(perSecond, message -> LOG.log(level, message));
    }
}

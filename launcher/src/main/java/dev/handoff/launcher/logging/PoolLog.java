package dev.handoff.launcher.logging;

import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Units;
import dev.handoff.process.PoolListener;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.dispatch.Worker;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.supervise.PoolChange;
import dev.handoff.process.supervise.ProcessExit;
import dev.handoff.process.supervise.ReplaceCause;
import dev.handoff.process.supervise.WorkerError;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Logs what happens to workers, and passes on what they write. Called on the pool's loop, but for
 * {@link #onOutput}.
 */
public final class PoolLog implements PoolListener {
    private static final System.Logger LOG = System.getLogger(PoolLog.class.getName());
    private static final int PER_SECOND = 5;

    /** After so many failed starts in a row, the log explains what they mean. */
    private static final int HOPELESS_STARTS = 5;

    /** A hint for programs that know nothing of Handoff. */
    private static final String WORKERS_CALL =
            "a worker connects to HANDOFF_SOCKET and says hello, see docs/PROTOCOL.md";

    private static final String SERVERS_LISTEN =
            "an HTTP server listens at the port in PORT, or where its command has {port} or {socket}";

    private final String pool;

    /** The command of the processes started here; empty if there are none. */
    private final String command;

    /** Whether the workers are HTTP servers. */
    private final boolean http;

    private final RepeatLimit rejections = limited(1, Level.WARNING);
    private final RepeatLimit noRoom = limited(1, Level.WARNING);
    private final RepeatLimit turnedAway = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit faults = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit handlerFailures = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit lostRequests = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit unknownResponses = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit lostContents = limited(PER_SECOND, Level.ERROR);
    private final RepeatLimit brokenStreams = limited(PER_SECOND, Level.WARNING);
    private final RepeatLimit visits = limited(PER_SECOND, Level.INFO);
    private final Set<String> servingProcesses = new HashSet<>();
    private int startsWithoutWorker;

    /** If set, no restart is promised until a worker has joined: its failure may end the server. */
    private final boolean mustStart;

    private boolean anyJoined;
    private boolean toldOfWebSockets;

    /**
     * @param pool its name
     * @param command what the processes run, in one line; null if none are started
     * @param http whether the workers are HTTP servers
     * @param mustStart whether it is the end of the server if none of them becomes ready
     */
    public PoolLog(String pool, @Nullable String command, boolean http, boolean mustStart) {
        this.pool = pool;
        this.http = http;
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
                    case KILLED -> " was killed by an operator";
                    case STOPPED -> " was disconnected, since the server stops";
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
                                        PoolTexts.option(fault.fault()))));
    }

    @Override
    public void onHandlerFailure(Worker worker, long id, String message) {
        handlerFailures.tell(
                () -> about(worker.id(), "the handler failed in " + worker.id() + ": " + message));
    }

    @Override
    public void onRequestLost(Worker worker, long id, String request, String why) {
        lostRequests.tell(() ->
                about(
                        worker.id(),
                        "%s lost request %s, whose client gets 502 or the end of its connection: %s"
                                .formatted(worker.id(), request, why)));
    }

    @Override
    public void onUnknownResponse(Worker worker, long id) {
        unknownResponses.tell(() ->
                about(
                        worker.id(),
                        "dropped a response of %s with id %d, which %s"
                                .formatted(
                                        worker.id(),
                                        id,
                                        worker.wasHanded(id)
                                                ? "the worker has answered or given back already"
                                                : "the worker was never handed")));
    }

    @Override
    public void onContentLost(Worker worker, long id, IOException why) {
        lostContents.tell(() ->
                about(
                        worker.id(),
                        "the file with the content of request %d for %s could not be read: %s; its client gets 500 content_lost"
                                .formatted(id, worker.id(), why)));
    }

    @Override
    public void onBrokenStream(Worker worker, long id, CancelReason reason) {
        brokenStreams.tell(() ->
                about(
                        worker.id(),
                        "broke off the response of %s with id %d: %s"
                                .formatted(
                                        worker.id(),
                                        id,
                                        reason == CancelReason.SLOW_CLIENT
                                                ? "a piece came without credit: its client is slow,"
                                                        + " and the worker did not wait"
                                                : "its pieces came out of order (response with more,"
                                                        + " then data, the last one without more)")));
    }

    @Override
    public void onBrokenWebSocket(Worker worker, long id, String rule) {
        brokenStreams.tell(() ->
                about(
                        worker.id(),
                        "closed the WebSocket of %s with id %d: %s"
                                .formatted(worker.id(), id, rule)));
    }

    @Override
    public void onUntakenWebSocket(Worker worker) {
        if (!toldOfWebSockets) {
            toldOfWebSockets = true;
            LOG.log(
                    Level.WARNING,
                    about(
                            worker.id(),
                            ("a client asked for a WebSocket, which %s does not take: it gets a plain request."
                                            + " ASGI applications, node:http servers with an upgrade listener"
                                            + " and serve(handler, websocket) take them")
                                    .formatted(worker.id())));
        }
    }

    @Override
    public void onTurnedAway(String code, String message) {
        turnedAway.tell(() ->
                about("turned away a connection on the worker socket (" + code + "): " + message));
    }

    @Override
    public void onRejected(Rejection reason, long limit) {
        rejections.tell(() ->
                about(
                        "a request got no worker of pool %s: 503 %s%s"
                                .formatted(pool, reason.code(), PoolTexts.limit(reason, limit))));
    }

    @Override
    public void onNoRoom(Worker worker, int bodyBytes, long limitBytes) {
        noRoom.tell(() ->
                about(
                        worker.id(),
                        ("a response or message of %s from %s was dropped (responses_full): those"
                                        + " that workers send, and those that clients have not"
                                        + " taken, may hold %s together (half of %s)")
                                .formatted(
                                        Units.formatSize(bodyBytes),
                                        worker.id(),
                                        Units.formatSize(limitBytes),
                                        AllSettings.MAX_BUFFERED.flag())));
    }

    @Override
    public void onSlowResponse(Worker worker, int bodyBytes) {
        noRoom.tell(() ->
                about(
                        worker.id(),
                        ("a response or message of %s from %s was dropped (responses_full): the"
                                        + " worker sent less than 64 KiB of it in 150 ms, while"
                                        + " others waited for its room")
                                .formatted(Units.formatSize(bodyBytes), worker.id())));
    }

    @Override
    public void onStarted(String worker, long pid) {
        LOG.log(Level.DEBUG, about(worker, worker + " is process " + pid));
    }

    @Override
    public void onUnreachable(String worker, String server, String why) {
        LOG.log(
                Level.WARNING,
                about(
                        worker,
                        "%s takes no connection at %s: %s; it is tried until it does"
                                .formatted(worker, server, why)));
    }

    @Override
    public void onNoWorker(Duration since) {
        LOG.log(
                Level.WARNING,
                about(
                        "pool %s has had no worker for %s, so its requests get 503; %s"
                                .formatted(pool, Units.formatTime(since), WORKERS_CALL)));
    }

    @Override
    public void onUnconnected(String worker, long pid, Duration running, SortedSet<Integer> ports) {
        String where =
                ports.isEmpty()
                        ? ""
                        : "port "
                                + ports.stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(" and "));
        LOG.log(
                Level.WARNING,
                about(
                        worker,
                        http
                                ? unheard(worker, pid, running, where)
                                : unconnected(worker, pid, running, where)));
    }

    private static String unheard(String worker, long pid, Duration running, String where) {
        return "%s (process %d) does not listen where it should after %s, and gets no requests until it does%s; %s"
                .formatted(
                        worker,
                        pid,
                        Units.formatTime(running),
                        where.isEmpty()
                                ? ""
                                : "; it listens on %s instead (--app-port says so)"
                                        .formatted(where),
                        SERVERS_LISTEN);
    }

    private static String unconnected(String worker, long pid, Duration running, String where) {
        return "%s (process %d) has not connected after %s, and gets no requests until it does%s; %s"
                .formatted(
                        worker,
                        pid,
                        Units.formatTime(running),
                        where.isEmpty()
                                ? ""
                                : "; it listens by itself on %s (if it is an HTTP server, say --http)"
                                        .formatted(where),
                        WORKERS_CALL);
    }

    @Override
    public void onNotReady(String worker, Duration timeout) {
        LOG.log(
                Level.ERROR,
                about(
                        worker,
                        "%s did not get ready within %s, so the server ends it; %s"
                                .formatted(worker, Units.formatTime(timeout), hint())));
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
                                    .formatted(
                                            worker,
                                            exit.describe(),
                                            PoolTexts.restart(restartMillis))));
        } else if (served) {
            LOG.log(
                    Level.WARNING,
                    about(
                            worker,
                            "%s ended: %s; %s"
                                    .formatted(
                                            worker,
                                            exit.describe(),
                                            PoolTexts.restart(restartMillis))));
        } else {
            neverServed(
                    worker,
                    "%s ended before it was ready: %s%s%s"
                            .formatted(
                                    worker,
                                    exit.describe(),
                                    PoolTexts.cause(exit),
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
        LOG.log(Level.INFO, about("reload: replacing " + PoolTexts.workers(workers)));
    }

    @Override
    public void onReplaced(String old, String successor, ReplaceCause cause) {
        LOG.log(
                Level.INFO,
                about(
                        successor,
                        old.equals(successor)
                                ? "%s: %s serves again, as a new process"
                                        .formatted(PoolTexts.cause(cause), successor)
                                : "%s: %s serves in place of %s, which finishes what it holds"
                                        .formatted(PoolTexts.cause(cause), successor, old)));
    }

    /** A failure during a reload is logged at the end of that. */
    @Override
    public void onNotReplaced(String old, WorkerError error, ReplaceCause cause) {
        if (cause != ReplaceCause.RELOAD) {
            LOG.log(
                    Level.ERROR,
                    about(
                            old,
                            error.worker().equals(old)
                                    ? "%s: the new process of %s"
                                            .formatted(
                                                    PoolTexts.cause(cause), PoolTexts.error(error))
                                    : "%s: %s goes on, since its successor failed: %s"
                                            .formatted(
                                                    PoolTexts.cause(cause),
                                                    old,
                                                    PoolTexts.error(error))));
        }
    }

    @Override
    public void onReloaded(PoolChange outcome) {
        switch (outcome) {
            case PoolChange.Done(int workers) ->
                    LOG.log(
                            Level.INFO,
                            about("reload: done, " + PoolTexts.workers(workers) + " replaced"));
            case PoolChange.Failed(int workers, WorkerError error) ->
                    LOG.log(
                            Level.ERROR,
                            about(
                                    "reload: failed, %s replaced; the others go on as they are: %s"
                                            .formatted(
                                                    PoolTexts.workers(workers),
                                                    PoolTexts.error(error))));
            case PoolChange.Refused(String reason) ->
                    LOG.log(Level.WARNING, about("reload: given up, " + reason));
            case PoolChange.Unknown() ->
                    throw new IllegalArgumentException("a reload cannot end as unknown");
        }
    }

    @Override
    public void onOverload(boolean present) {
        LOG.log(
                present ? Level.WARNING : Level.INFO,
                about(
                        present
                                ? "more requests come than the workers can serve: the newest go first"
                                : "the workers keep up again: the oldest requests go first"));
    }

    @Override
    public void onScaled(int from, int to) {
        LOG.log(Level.INFO, about("scaling from " + from + " to " + PoolTexts.workers(to)));
    }

    @Override
    public void onOutput(String worker, Output stream, String line) {
        String name = stream == Output.STDOUT ? "stdout" : "stderr";
        LogLines.print(new WorkerOutput(Instant.now(), pool, worker, name, line));
    }

    private LogMessage about(String text) {
        return LogMessage.ofPool(pool, text);
    }

    private LogMessage about(String worker, String text) {
        return LogMessage.ofWorker(pool, worker, text);
    }

    private String describe(Worker worker) {
        StringBuilder text = new StringBuilder(worker.id()).append(" is connected (");
        if (!worker.name().equals(worker.id())) {
            text.append(inQuotes(worker.name())).append(", ");
        }
        if (worker.pid() > 0) {
            text.append("process ").append(worker.pid()).append(", ");
        }
        // The host of processes that the core started is the core's own.
        if (command.isEmpty() && !worker.host().isEmpty()) {
            text.append("host ").append(inQuotes(worker.host())).append(", ");
        }
        int concurrency = worker.concurrency();
        return text.append(concurrency == 0 ? "not ready yet" : "concurrency " + concurrency)
                .append(')')
                .toString();
    }

    /** What a worker says of itself must not look like more than that. */
    private static String inQuotes(String text) {
        return '"' + text.replace("\"", "\\\"") + '"';
    }

    private void neverServed(String worker, String message) {
        LOG.log(Level.ERROR, about(worker, message));
        startsWithoutWorker++;
        if (startsWithoutWorker == HOPELESS_STARTS) {
            LOG.log(
                    Level.ERROR,
                    about(
                            "no worker of pool %s has become ready in %d starts, so requests get 503; each runs: %s; %s"
                                    .formatted(pool, HOPELESS_STARTS, command, hint())));
        }
    }

    private String hint() {
        return http ? SERVERS_LISTEN : WORKERS_CALL;
    }

    private String restartOfFirst(long millis) {
        return mustStart && !anyJoined ? "" : "; " + PoolTexts.restart(millis);
    }

    private static RepeatLimit limited(int perSecond, Level level) {
        return new RepeatLimit(perSecond, message -> LOG.log(level, message));
    }
}

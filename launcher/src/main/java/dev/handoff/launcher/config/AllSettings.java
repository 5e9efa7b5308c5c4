package dev.handoff.launcher.config;

import dev.handoff.http.ParserLimits;
import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.Spool;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Every setting of {@code run}, {@code serve} and {@code handoff.json}, in the order of the help.
 * Each is defined here and nowhere else: the options, variables, keys and the schema are derived
 * from this list, and the pages are compared with it. {@link Limits} turns the chosen values into
 * the limits of the server and the pools, whose presets these are.
 */
public final class AllSettings {
    private static final ServerLimits SERVER = ServerLimits.DEFAULT;
    private static final ParserLimits PARSER = ParserLimits.DEFAULT;
    private static final PoolLimits POOL = PoolLimits.DEFAULT;

    /** Bodies are arrays, whose length is an int, with room for a frame around it. */
    private static final long USUAL_BODY_BYTES = 64L << 20;

    private static final long USUAL_SPOOLED_BYTES = 1L << 30;
    private static final long MOST_BODY_BYTES = Integer.MAX_VALUE - (1L << 20) + 1;

    /** As JSON a head is up to three times as long, and has to stay below 1 MiB. */
    private static final long MOST_HEAD_BYTES = 256 * 1024;

    // Filled by the declarations below, so they come first.
    private static final List<Setting<?>> OPTIONS = new ArrayList<>();
    private static final List<Setting<?>> LIMITS = new ArrayList<>();

    public static final Setting<Path> CONFIG =
            option(
                    Setting.unset(
                            Scope.SERVE,
                            "--config",
                            Places.file("FILE"),
                            null,
                            "Configuration file, with pools and routes."));

    public static final Setting<String> HOST =
            option(
                    Setting.of(
                            Scope.SERVER,
                            "--host",
                            Syntax.text("ADDRESS", "a name or an address such as 127.0.0.1"),
                            "127.0.0.1",
                            "Address to listen on; 0.0.0.0 for all, as in a container."));

    public static final Setting<Integer> PORT =
            option(
                    Setting.of(
                            Scope.SERVER,
                            "--port",
                            Syntax.count(0, 65_535),
                            8080,
                            "Port to listen on; 0 for any that is free."));

    public static final Setting<List<ListenAddress>> LISTEN =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--listen",
                            Places.addresses(
                                    "127.0.0.1:8080,[::1]:8080,unix:/run/handoff/http.sock"),
                            "--host and --port",
                            "Where to listen, in place of --host and --port: ports, and files of Unix sockets."));

    public static final Setting<List<ListenAddress>> TLS_LISTEN =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--tls-listen",
                            Places.ports("0.0.0.0:8443,[::]:8443"),
                            "no TLS",
                            "Ports at which to speak TLS, beside --host and --port or --listen."));

    public static final Setting<List<Path>> TLS_CERTIFICATE =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--tls-certificate",
                            Places.files("FILES"),
                            null,
                            "Certificate with its chain, as PEM; several for several names, the first for all others."));

    public static final Setting<List<Path>> TLS_KEY =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--tls-key",
                            Places.files("FILES"),
                            null,
                            "Its key, as PEM (PKCS#8); as many as certificates, in the same order."));

    public static final Setting<Path> TLS_CLIENT_CA =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--tls-client-ca",
                            Places.file("FILE"),
                            "clients need none",
                            "Certificates, as PEM, of which one has to have signed that of each TLS client."));

    public static final Setting<String> ADMIN_HOST =
            option(
                    Setting.of(
                            Scope.SERVER,
                            "--admin-host",
                            Syntax.text("ADDRESS", "a name or an address such as 127.0.0.1"),
                            "127.0.0.1",
                            "Address of the admin server; beyond loopback it needs a token."));

    /** Where the admin server listens if nobody chose a port, and this one is free. */
    public static final int ADMIN_PORT_UNASKED = 8081;

    public static final Setting<Integer> ADMIN_PORT =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--admin-port",
                            Syntax.count(0, 65_535),
                            ADMIN_PORT_UNASKED + " if it is free",
                            "Port of the admin server."));

    public static final Setting<Path> ADMIN_TOKEN_FILE =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--admin-token-file",
                            Places.file("FILE"),
                            "no token",
                            "File with the token that the admin server asks for; made when there is none."));

    public static final Setting<Boolean> NO_ADMIN =
            option(
                    Setting.off(
                            Scope.SERVER,
                            "--no-admin",
                            "Have no admin server: no health checks, no statistics."));

    public static final Setting<Path> SOCKET =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--socket",
                            Places.file("PATH"),
                            "a private file",
                            "Unix socket on which workers connect."));

    public static final Setting<Path> SPOOL_DIRECTORY =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--spool-directory",
                            Places.folder("PATH"),
                            "the system's temporary folder",
                            "Folder for large requests until they are answered."));

    public static final Setting<Integer> WORKERS =
            option(
                    Setting.of(
                            Scope.PROCESSES,
                            "--workers",
                            Syntax.countOrAuto(
                                    1,
                                    WorkerPool.MOST_PROCESSES,
                                    Math.min(
                                            Runtime.getRuntime().availableProcessors(),
                                            WorkerPool.MOST_PROCESSES)),
                            1,
                            "Processes to start and keep running; auto for one a core."));

    public static final Setting<Integer> CONCURRENCY =
            option(
                    Setting.unset(
                            Scope.PROCESSES,
                            "--concurrency",
                            Syntax.count(1, 10_000),
                            "the worker decides",
                            "Requests that each worker is asked to take at once."));

    public static final Setting<Boolean> HTTP =
            option(
                    Setting.off(
                            Scope.PROCESSES,
                            "--http",
                            "The workers are HTTP servers, which listen at $PORT, {port} or {socket}."));

    public static final Setting<List<ListenAddress>> SERVERS =
            option(
                    Setting.unset(
                            Scope.POOL,
                            "--servers",
                            Places.addresses("127.0.0.1:3000,10.0.0.2:3000,unix:/run/app.sock"),
                            null,
                            "HTTP servers, started elsewhere, that get the requests."));

    public static final Setting<String> USER =
            option(
                    Setting.unset(
                            Scope.PROCESSES,
                            "--user",
                            Syntax.text("NAME", "the name of a user"),
                            "the server's",
                            "User that the workers run as; only root can choose another."));

    public static final Setting<String> GROUP =
            option(
                    Setting.unset(
                            Scope.PROCESSES,
                            "--group",
                            Syntax.text("NAME", "the name of a group"),
                            "the user's",
                            "First group of the workers, with --user: what they make is its."));

    public static final Setting<Integer> APP_PORT =
            option(
                    Setting.unset(
                            Scope.PROCESSES,
                            "--app-port",
                            Syntax.count(1, 65_535),
                            "$PORT, else the only one",
                            "Port at which a Node application believes that it listens, and with --http does."));

    public static final Setting<Boolean> STOP_FIRST =
            option(
                    Setting.off(
                            Scope.PROCESSES,
                            "--stop-first",
                            "End a worker before its successor starts, as when both need the same port."));

    public static final Setting<Long> RECYCLE_REQUESTS =
            option(
                    Setting.unset(
                            Scope.PROCESSES,
                            "--recycle-requests",
                            Syntax.longCount(1, 1L << 53),
                            "never",
                            "Requests after which a worker is replaced by a new one."));

    public static final Setting<Duration> RECYCLE_AGE =
            option(
                    Setting.unset(
                            Scope.PROCESSES,
                            "--recycle-age",
                            Units.time(Duration.ofSeconds(1)),
                            "never",
                            "Age at which a worker is replaced by a new one."));

    public static final Setting<Long> RECYCLE_MEMORY =
            option(
                    Setting.unset(
                            Scope.PROCESSES,
                            "--recycle-memory",
                            Units.size(1 << 20, 1L << 50),
                            "never",
                            "Memory above which a worker is replaced by a new one; on Linux."));

    public static final Setting<Boolean> WATCH =
            option(
                    Setting.off(
                            Scope.RUN,
                            "--watch",
                            "Replace the workers when a file of the handler's changes."));

    public static final Setting<Boolean> DEBUG =
            option(
                    Setting.off(
                            Scope.RUN,
                            "--debug",
                            "One worker that has this terminal, one request at a time, no time-outs."));

    public static final Setting<Duration> REQUEST_TIMEOUT =
            option(
                    time(
                            Scope.POOL,
                            "--request-timeout",
                            SERVER.requestTimeout(),
                            "Wait for a response; then 504."));

    public static final Setting<Duration> STREAM_IDLE_TIMEOUT =
            option(
                    time(
                            Scope.SERVER,
                            "--stream-idle-timeout",
                            SERVER.streamIdleTimeout(),
                            "Wait between two pieces of a response; then its client is cut off."));

    public static final Setting<Duration> DRAIN_TIMEOUT =
            option(
                    Setting.of(
                            Scope.SERVER,
                            "--drain-timeout",
                            Units.time(Duration.ZERO),
                            Duration.ofSeconds(30),
                            "Time that requests in hand get to finish at the end."));

    public static final Setting<Integer> LOOPS =
            option(
                    Setting.of(
                                    Scope.SERVER,
                                    "--loops",
                                    Syntax.count(1, 256),
                                    EventLoops.defaultCount(),
                                    "Event loops, each a thread of the server.")
                            .presetAs("one per two cores"));

    public static final Setting<Level> LOG_LEVEL =
            option(
                    Setting.of(
                            Scope.SERVER,
                            "--log-level",
                            Syntax.oneOf(
                                    "LEVEL",
                                    List.of(Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR)),
                            Level.INFO,
                            "Lowest level that is logged: debug, info, warning or error."));

    public static final Setting<LogFormat> LOG_FORMAT =
            option(
                    Setting.of(
                            Scope.SERVER,
                            "--log-format",
                            Syntax.oneOf("FORMAT", List.of(LogFormat.TEXT, LogFormat.JSON)),
                            LogFormat.TEXT,
                            "How logs and the workers' output are written: text, or json, an object a line."));

    public static final Setting<AccessTarget> ACCESS_LOG =
            option(
                    Setting.of(
                            Scope.SERVER,
                            "--access-log",
                            new Syntax<>(
                                            "FILE",
                                            "off, stdout or the path of a file",
                                            AccessTarget::parse,
                                            AccessTarget::toString)
                                    .withPaths(AccessTarget::in),
                            AccessTarget.OFF,
                            "Where each request is logged: off, stdout, or a file, opened anew on SIGUSR2."));

    public static final Setting<Boolean> REQUEST_ID =
            option(
                    Setting.off(
                            Scope.SERVER,
                            "--request-id",
                            "Give requests an X-Request-Id if they have none, and send it to the client."));

    public static final Setting<List<String>> TRUSTED_PROXY =
            option(
                    Setting.unset(
                            Scope.SERVER,
                            "--trusted-proxy",
                            Places.networks(),
                            "nobody",
                            "Proxies whose Forwarded and X-Forwarded-… fields are believed."));

    // What bounds the use of clients and workers.

    public static final Setting<Integer> MAX_CONNECTIONS =
            limit(
                    count(
                            Scope.SERVER,
                            "--max-connections",
                            SERVER.connections(),
                            "Open connections; then idle and slow ones make room, or others wait."));

    public static final Setting<Integer> MAX_CONNECTIONS_PER_CLIENT =
            limit(
                    Setting.unset(
                            Scope.SERVER,
                            "--max-connections-per-client",
                            Syntax.count(1, Integer.MAX_VALUE),
                            "no limit",
                            "Open connections of one address; behind a trusted proxy, requests in hand."));

    public static final Setting<Integer> MAX_PIPELINED =
            limit(
                    count(
                            Scope.SERVER,
                            "--max-pipelined",
                            SERVER.pipelinedRequests(),
                            "Unanswered requests of one connection."));

    public static final Setting<Long> MAX_BUFFERED =
            limit(
                    size(
                                    Scope.SERVER,
                                    "--max-buffered",
                                    SERVER.bufferedBytes(),
                                    1,
                                    Long.MAX_VALUE,
                                    "Memory for requests in hand and unsent responses, half each.")
                            .presetAs("a quarter of the heap"));

    public static final Setting<Long> MAX_HEAD =
            limit(
                    size(
                            Scope.SERVER,
                            "--max-head",
                            PARSER.headBytes(),
                            1,
                            MOST_HEAD_BYTES,
                            "Request head; then 431."));

    public static final Setting<Long> MAX_TARGET =
            limit(
                    size(
                            Scope.SERVER,
                            "--max-target",
                            PARSER.targetBytes(),
                            1,
                            MOST_HEAD_BYTES,
                            "Request target; then 414."));

    public static final Setting<Boolean> STRICT_TARGETS =
            limit(
                    Setting.off(
                            Scope.SERVER,
                            "--strict-targets",
                            "Refuse, with 400, targets with raw characters that only browsers allow."));

    public static final Setting<Integer> MAX_FIELDS =
            limit(
                    count(
                            Scope.SERVER,
                            "--max-fields",
                            PARSER.fields(),
                            "Header fields of a request; then 431."));

    public static final Setting<Long> MAX_BODY =
            limit(
                    size(
                            Scope.SERVER,
                            "--max-body",
                            USUAL_BODY_BYTES,
                            0,
                            MOST_BODY_BYTES,
                            "Request body; then 413."));

    public static final Setting<Long> MAX_BODY_IN_MEMORY =
            limit(
                    size(
                            Scope.SERVER,
                            "--max-body-in-memory",
                            Spool.DEFAULT_MEMORY_BYTES,
                            0,
                            MOST_BODY_BYTES,
                            "Request body that stays in memory; a larger one goes to a file."));

    public static final Setting<Long> MAX_SPOOLED =
            limit(
                    size(
                            Scope.SERVER,
                            "--max-spooled",
                            USUAL_SPOOLED_BYTES,
                            1,
                            Long.MAX_VALUE,
                            "Files of large requests, all together; then 503."));

    public static final Setting<Long> MAX_RESPONSE =
            limit(
                    size(
                            Scope.ALL_POOLS,
                            "--max-response",
                            POOL.fromWorker().bodyBytes(),
                            0,
                            MOST_BODY_BYTES,
                            "Response body; a worker that sends more is cut off."));

    public static final Setting<Long> MAX_MESSAGE =
            limit(
                    size(
                            Scope.SERVER,
                            "--max-message",
                            SERVER.messageBytes(),
                            1,
                            MOST_BODY_BYTES,
                            "Message that comes by a WebSocket; then it is closed."));

    public static final Setting<Duration> HEADER_TIMEOUT =
            limit(
                    time(
                            Scope.SERVER,
                            "--header-timeout",
                            SERVER.headerTimeout(),
                            "Wait for a whole head; then 408."));

    public static final Setting<Duration> BODY_TIMEOUT =
            limit(
                    time(
                            Scope.SERVER,
                            "--body-timeout",
                            SERVER.bodyTimeout(),
                            "Wait for 64KiB of a body; then 408."));

    public static final Setting<Long> MIN_BODY_RATE =
            limit(
                    size(
                            Scope.SERVER,
                            "--min-body-rate",
                            SERVER.minBodyRate(),
                            0,
                            1L << 30,
                            "Bytes a second of a body beyond 1MiB; then 408."));

    public static final Setting<Duration> IDLE_TIMEOUT =
            limit(
                    time(
                            Scope.SERVER,
                            "--idle-timeout",
                            SERVER.idleTimeout(),
                            "Wait for a client's next request."));

    public static final Setting<Duration> WRITE_TIMEOUT =
            limit(
                    time(
                            Scope.SERVER,
                            "--write-timeout",
                            SERVER.writeTimeout(),
                            "Wait for a client to take 64KiB of its response."));

    public static final Setting<Integer> QUEUE_REQUESTS =
            limit(
                    Setting.unset(
                            Scope.POOL,
                            "--queue-requests",
                            Syntax.count(1, Integer.MAX_VALUE),
                            "4 times what workers take, at least 1000",
                            "Requests that wait for a worker; then 503."));

    public static final Setting<Long> QUEUE_BYTES =
            limit(
                    Setting.unset(
                            Scope.POOL,
                            "--queue-bytes",
                            Units.size(0, 1L << 40),
                            "a quarter of --max-buffered",
                            "Memory of the requests that wait, at least 1 KiB each; then 503."));

    public static final Setting<Duration> QUEUE_TIMEOUT =
            limit(
                    grace(
                            Scope.POOL,
                            "--queue-timeout",
                            POOL.queueTimeout(),
                            "Wait for a free worker; then 503."));

    public static final Setting<Duration> NO_WORKER_GRACE =
            limit(
                    grace(
                            Scope.ALL_POOLS,
                            "--no-worker-grace",
                            POOL.noWorkerGrace(),
                            "Wait while no worker is connected; then 503."));

    public static final Setting<Duration> CANCEL_GRACE =
            limit(
                    grace(
                            Scope.ALL_POOLS,
                            "--cancel-grace",
                            POOL.cancelGrace(),
                            "Time that a worker may keep a request past its deadline; then it is ended."));

    public static final Setting<Duration> WORKER_WRITE_TIMEOUT =
            limit(
                    time(
                            Scope.ALL_POOLS,
                            "--worker-write-timeout",
                            POOL.writeTimeout(),
                            "Wait for a worker to take 64KiB; then it is ended."));

    public static final Setting<Boolean> REPLAY_SAFE_METHODS =
            limit(
                    Setting.off(
                            Scope.POOL,
                            "--replay-safe-methods",
                            "Hand GET, HEAD and OPTIONS over once more when their worker is lost."));

    public static final Setting<RequestBody> REQUEST_BODY =
            limit(
                    Setting.of(
                            Scope.POOL,
                            "--request-body",
                            Syntax.oneOf("HOW", List.of(RequestBody.WHOLE, RequestBody.STREAM)),
                            RequestBody.WHOLE,
                            "When workers get content: whole, or stream, as it comes."));

    private AllSettings() {}

    /** The options of a command that starts its workers itself, without the {@link #limits}. */
    public static List<Setting<?>> ofRun() {
        return with(OPTIONS, Scope.SERVER, Scope.ALL_POOLS, Scope.POOL, Scope.PROCESSES, Scope.RUN);
    }

    /** The options of a command whose workers come by themselves, without the {@link #limits}. */
    public static List<Setting<?>> ofServe() {
        return with(OPTIONS, Scope.SERVER, Scope.ALL_POOLS, Scope.POOL, Scope.SERVE).stream()
                .<Setting<?>>map(setting ->
                        setting.equals(SOCKET)
                                ? SOCKET.presetAs("/run/handoff/handoff.sock or the user's")
                                : setting)
                .toList();
    }

    /** The limits, which have a section of their own in the help of both commands. */
    public static List<Setting<?>> limits() {
        return List.copyOf(LIMITS);
    }

    /** The keys at the top of a configuration file, for the server or for all pools. */
    public static List<Setting<?>> inFile() {
        return with(all(), Scope.SERVER, Scope.ALL_POOLS, Scope.POOL, Scope.PROCESSES);
    }

    /** The settings that a pool has, whether it may choose them itself or not. */
    static List<Setting<?>> ofPool(boolean hasProcesses) {
        return hasProcesses
                ? with(all(), Scope.ALL_POOLS, Scope.POOL, Scope.PROCESSES)
                : with(all(), Scope.ALL_POOLS, Scope.POOL);
    }

    /** The settings that a pool may choose itself. */
    static List<Setting<?>> chosenByPools() {
        return with(all(), Scope.POOL, Scope.PROCESSES);
    }

    /** The settings that only a pool with processes has. */
    static List<Setting<?>> ofProcesses() {
        return with(all(), Scope.PROCESSES);
    }

    /** Whether a change of the configuration file changes the setting while the server runs. */
    public static boolean canChange(Setting<?> setting) {
        return ofPool(true).contains(setting) || setting.equals(LOG_LEVEL);
    }

    private static List<Setting<?>> all() {
        List<Setting<?>> all = new ArrayList<>(OPTIONS);
        all.addAll(LIMITS);
        return all;
    }

    private static List<Setting<?>> with(List<Setting<?>> settings, Scope... scopes) {
        List<Scope> wanted = List.of(scopes);
        return settings.stream().filter(setting -> wanted.contains(setting.scope())).toList();
    }

    private static <T> Setting<T> option(Setting<T> setting) {
        OPTIONS.add(setting);
        return setting;
    }

    private static <T> Setting<T> limit(Setting<T> setting) {
        LIMITS.add(setting);
        return setting;
    }

    private static Setting<Integer> count(
            Scope scope, String flag, int preset, String description) {
        return Setting.of(scope, flag, Syntax.count(1, Integer.MAX_VALUE), preset, description);
    }

    private static Setting<Long> size(
            Scope scope, String flag, long preset, long least, long most, String description) {
        return Setting.of(scope, flag, Units.size(least, most), preset, description);
    }

    private static Setting<Duration> time(
            Scope scope, String flag, Duration preset, String description) {
        return Setting.of(scope, flag, Units.time(Duration.ofMillis(1)), preset, description);
    }

    /** A wait that may be left out. */
    private static Setting<Duration> grace(
            Scope scope, String flag, Duration preset, String description) {
        return Setting.of(scope, flag, Units.time(Duration.ZERO), preset, description);
    }
}

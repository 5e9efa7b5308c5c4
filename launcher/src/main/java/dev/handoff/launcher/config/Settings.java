package dev.handoff.launcher.config;

import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import dev.handoff.server.TrustedProxies;
import java.lang.System.Logger.Level;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What can be chosen besides the {@link Limits}: each {@link Setting}, in the order of the help.
 */
public final class Settings {
    static final Setting<String> HOST =
            Setting.of(
                    "--host",
                    Syntax.text("ADDRESS", "a name or an address such as 127.0.0.1"),
                    "127.0.0.1",
                    "Address to listen on; 0.0.0.0 for all, as in a container.");

    static final Setting<Integer> PORT =
            Setting.of(
                    "--port",
                    Syntax.count(0, 65_535),
                    8080,
                    "Port to listen on; 0 for any that is free.");

    /** Where the admin server listens if nobody chose a port, and this one is free. */
    public static final int ADMIN_PORT_UNASKED = 8081;

    public static final Setting<Integer> ADMIN_PORT =
            Setting.unset(
                    "--admin-port",
                    Syntax.count(0, 65_535),
                    ADMIN_PORT_UNASKED + " if it is free",
                    "Port of the admin server.");

    static final Setting<Boolean> NO_ADMIN =
            Setting.off("--no-admin", "Have no admin server: no health checks, no statistics.");

    public static final Setting<String> ADMIN_HOST =
            Setting.of(
                    "--admin-host",
                    Syntax.text("ADDRESS", "a name or an address such as 127.0.0.1"),
                    "127.0.0.1",
                    "Address of the admin server; beyond loopback it needs a token.");

    public static final Setting<Path> ADMIN_TOKEN_FILE =
            Setting.unset(
                    "--admin-token-file",
                    new Syntax<>("FILE", "the path of a file", Settings::path, Path::toString),
                    "no token",
                    "File with the token that the admin server asks for; made when there is none.");

    public static final Setting<Path> SOCKET =
            Setting.unset(
                    "--socket",
                    new Syntax<>("PATH", "the path of a file", Settings::path, Path::toString),
                    "a private file",
                    "Unix socket on which workers connect.");

    public static final Setting<Integer> WORKERS =
            Setting.of(
                    "--workers",
                    Syntax.countOrAuto(
                            1,
                            WorkerPool.MOST_PROCESSES,
                            Math.min(
                                    Runtime.getRuntime().availableProcessors(),
                                    WorkerPool.MOST_PROCESSES)),
                    1,
                    "Processes to start and keep running; auto for one a core.");

    public static final Setting<Integer> CONCURRENCY =
            Setting.unset(
                    "--concurrency",
                    Syntax.count(1, 10_000),
                    "the worker decides",
                    "Requests that each worker is asked to take at once.");

    public static final Setting<String> USER =
            Setting.unset(
                    "--user",
                    Syntax.text("NAME", "the name of a user"),
                    "the server's",
                    "User that the workers run as; only root can choose another.");

    public static final Setting<Integer> APP_PORT =
            Setting.unset(
                    "--app-port",
                    Syntax.count(1, 65_535),
                    "$PORT, else the only one",
                    "Port at which a Node application believes that it listens.");

    public static final Setting<Boolean> STOP_FIRST =
            Setting.off(
                    "--stop-first",
                    "End a worker before its successor starts, which could not get its port.");

    static final Setting<Long> RECYCLE_REQUESTS =
            Setting.unset(
                    "--recycle-requests",
                    Syntax.longCount(1, 1L << 53),
                    "never",
                    "Requests after which a worker is replaced by a new one.");

    static final Setting<Duration> RECYCLE_AGE =
            Setting.unset(
                    "--recycle-age",
                    Units.time(Duration.ofSeconds(1)),
                    "never",
                    "Age at which a worker is replaced by a new one.");

    static final Setting<Long> RECYCLE_MEMORY =
            Setting.unset(
                    "--recycle-memory",
                    Units.size(1 << 20, 1L << 50),
                    "never",
                    "Memory above which a worker is replaced by a new one; on Linux.");

    public static final Setting<Boolean> WATCH =
            Setting.off("--watch", "Replace the workers when a file of the handler's changes.");

    public static final Setting<Boolean> DEBUG =
            Setting.off(
                    "--debug",
                    "One worker that has this terminal, one request at a time, no time-outs.");

    static final Setting<Duration> DRAIN_TIMEOUT =
            Setting.of(
                    "--drain-timeout",
                    Units.time(Duration.ZERO),
                    Duration.ofSeconds(30),
                    "Time that requests in hand get to finish at the end.");

    static final Setting<Integer> LOOPS =
            Setting.of(
                            "--loops",
                            Syntax.count(1, 256),
                            EventLoops.defaultCount(),
                            "Event loops, each a thread of the server.")
                    .presetAs("one per two cores");

    public static final Setting<Level> LOG_LEVEL =
            Setting.of(
                    "--log-level",
                    Syntax.oneOf(
                            "LEVEL", List.of(Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR)),
                    Level.INFO,
                    "Least that is logged: debug, info, warning or error.");

    public static final Setting<LogFormat> LOG_FORMAT =
            Setting.of(
                    "--log-format",
                    Syntax.oneOf("FORMAT", List.of(LogFormat.TEXT, LogFormat.JSON)),
                    LogFormat.TEXT,
                    "How logs and the workers' output are written: text, or json, an object a line.");

    static final Setting<AccessTarget> ACCESS_LOG =
            Setting.of(
                    "--access-log",
                    new Syntax<>(
                            "FILE",
                            "off, stdout or the path of a file",
                            AccessTarget::parse,
                            AccessTarget::toString),
                    AccessTarget.OFF,
                    "Where each request is logged: off, stdout, or a file, opened anew on SIGUSR2.");

    static final Setting<Boolean> REQUEST_ID =
            Setting.off(
                    "--request-id",
                    "Give requests an X-Request-Id if they have none, and tell it the client.");

    static final Setting<List<String>> TRUSTED_PROXY =
            Setting.unset(
                    "--trusted-proxy",
                    new Syntax<>(
                            "NETWORKS",
                            "networks such as 10.0.0.0/8,2001:db8::/32,192.0.2.1",
                            Settings::networks,
                            networks -> String.join(",", networks)),
                    "nobody",
                    "Whose Forwarded and X-Forwarded-… are believed, and nobody else's.");

    public static final Setting<Path> CONFIG =
            Setting.unset(
                    "--config",
                    new Syntax<>("FILE", "the path of a file", Settings::path, Path::toString),
                    null,
                    "Configuration file, with pools and routes.");

    private static final List<Setting<?>> OF_RUN =
            List.of(
                    HOST,
                    PORT,
                    ADMIN_HOST,
                    ADMIN_PORT,
                    ADMIN_TOKEN_FILE,
                    NO_ADMIN,
                    SOCKET,
                    WORKERS,
                    CONCURRENCY,
                    USER,
                    APP_PORT,
                    STOP_FIRST,
                    RECYCLE_REQUESTS,
                    RECYCLE_AGE,
                    RECYCLE_MEMORY,
                    WATCH,
                    DEBUG,
                    Limits.REQUEST_TIMEOUT,
                    DRAIN_TIMEOUT,
                    LOOPS,
                    LOG_LEVEL,
                    LOG_FORMAT,
                    ACCESS_LOG,
                    REQUEST_ID,
                    TRUSTED_PROXY);

    private static final List<Setting<?>> OF_SERVE =
            List.of(
                    CONFIG,
                    HOST,
                    PORT,
                    ADMIN_HOST,
                    ADMIN_PORT,
                    ADMIN_TOKEN_FILE,
                    NO_ADMIN,
                    SOCKET.presetAs("/run/handoff/handoff.sock or the user's"),
                    Limits.REQUEST_TIMEOUT,
                    DRAIN_TIMEOUT,
                    LOOPS,
                    LOG_LEVEL,
                    LOG_FORMAT,
                    ACCESS_LOG,
                    REQUEST_ID,
                    TRUSTED_PROXY);

    private static final List<Setting<?>> OF_POOLS =
            Stream.concat(
                            Stream.of(
                                    WORKERS,
                                    CONCURRENCY,
                                    USER,
                                    APP_PORT,
                                    STOP_FIRST,
                                    STOP_FIRST,
                                    RECYCLE_REQUESTS,
                                    RECYCLE_AGE,
                                    RECYCLE_MEMORY,
                                    Limits.REQUEST_TIMEOUT),
                            Limits.ofPools().stream())
                    .toList();

    private Settings() {}

    /** For a command that starts its workers itself. */
    public static List<Setting<?>> ofRun() {
        return OF_RUN;
    }

    /** For a command whose workers come by themselves. */
    public static List<Setting<?>> ofServe() {
        return OF_SERVE;
    }

    /** What a configuration file may set, for the server or for all pools. */
    public static List<Setting<?>> inFile() {
        return Stream.concat(
                        // To watch files and to debug is for those who write them, with 'run'.
                        OF_RUN.stream()
                                .filter(setting ->
                                        !setting.equals(WATCH) && !setting.equals(DEBUG)),
                        Limits.all().stream())
                .toList();
    }

    /** What concerns pools, so that it can change while the server runs. */
    public static List<Setting<?>> ofPools() {
        return OF_POOLS;
    }

    private static @Nullable List<String> networks(String text) {
        List<String> networks = Stream.of(text.split(",", -1)).map(String::strip).toList();
        try {
            var _ = TrustedProxies.of(networks);
            return networks;
        } catch (IllegalArgumentException notAll) {
            return null;
        }
    }

    private static @Nullable Path path(String text) {
        try {
            return text.isBlank() ? null : Path.of(text);
        } catch (InvalidPathException notOne) {
            return null;
        }
    }
}

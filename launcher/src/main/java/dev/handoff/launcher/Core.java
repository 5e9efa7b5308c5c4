package dev.handoff.launcher;

import dev.handoff.admin.AdminOptions;
import dev.handoff.admin.AdminServer;
import dev.handoff.admin.api.AccessToken;
import dev.handoff.admin.api.ServerOperations;
import dev.handoff.admin.stats.Counters;
import dev.handoff.admin.stats.Subject;
import dev.handoff.http.Refusal;
import dev.handoff.launcher.access.AccessLog;
import dev.handoff.launcher.access.AccessTarget;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.join.WorkerSocket;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerListener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The server, its pools and the workers' socket, wired together on the same event loops. Started
 * and stopped by the main thread.
 */
final class Core {
    private static final System.Logger LOG = System.getLogger(Core.class.getName());

    /**
     * Workers get a second to leave, then TERM, then after five seconds KILL; then it is enough.
     */
    private static final Duration WORKERS_END = Duration.ofSeconds(10);

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final CoreOptions options;
    private final ServerLog serverLog;
    private final EventLoops loops;
    private final Pools pools;
    private final WorkerSocket socket;
    private final HttpServer server;
    private final @Nullable AdminPort admin;
    private final @Nullable AccessLog accessLog;

    /**
     * What the admin server has besides the core.
     *
     * @param token what its callers have to show; null for nothing
     */
    record Administration(ServerOperations operations, @Nullable AccessToken token) {}

    private Core(
            CoreOptions options,
            ServerLog serverLog,
            EventLoops loops,
            Pools pools,
            WorkerSocket socket,
            HttpServer server,
            @Nullable AdminPort admin,
            @Nullable AccessLog accessLog) {
        this.options = options;
        this.serverLog = serverLog;
        this.loops = loops;
        this.pools = pools;
        this.socket = socket;
        this.server = server;
        this.admin = admin;
        this.accessLog = accessLog;
    }

    /**
     * Listens for workers first and for clients then, so that no client comes too early.
     *
     * @param inherited what to accept on in place of the host and the port; then it may also follow
     *     a core that still lives, in whose place at the worker socket and the admin port it steps
     * @param firstStart hears that no worker can start
     * @param administration what can be done to it from outside
     * @throws StartException if it cannot; what was started by then ends with the process
     */
    static Core start(
            CoreOptions options,
            SocketPlace place,
            List<PoolPlan> plans,
            Map<String, String> environment,
            @Nullable InheritedSocket inherited,
            FirstStart firstStart,
            Administration administration)
            throws StartException {
        ServerLog serverLog = new ServerLog();
        AccessLog accessLog = openAccessLog(options);
        Counters counters = new Counters(options.loops());
        EventLoops loops =
                startLoops(options, LoopListener.both(serverLog, counters.loopListener()));
        ResponseRoom responseRoom = options.server().newResponseRoom();
        Pools pools =
                new Pools(
                        plans,
                        loops,
                        counters,
                        firstStart,
                        environment,
                        options.server().requestTimeout(),
                        responseRoom);
        WorkerSocket socket = openSocket(place, pools, loops, inherited != null);
        Map<Refusal, String> sizes = Limits.sizes(options.server());
        HttpServer.Builder builder =
                HttpServer.builder(pools.handler())
                        .host(options.host())
                        .port(options.port())
                        .loops(loops)
                        .limits(options.server())
                        .limitNames(sizes)
                        .responseRoom(responseRoom)
                        .listener(
                                ServerListener.both(
                                        listeners(serverLog, counters, accessLog),
                                        new SizeLog(sizes)));
        options.requests().apply(builder);
        if (inherited != null) {
            builder.listening(inherited.channel());
        }
        HttpServer server = builder.build();
        AdminPort admin;
        try {
            startServer(server, options);
            Subject subject =
                    new Subject(
                            loops, server, pools::list, pools::retiring, counters, logs(accessLog));
            admin =
                    options.admin() == null
                            ? null
                            : startAdmin(
                                    options.admin(),
                                    administration,
                                    subject,
                                    serverLog,
                                    inherited != null);
        } catch (StartException refused) {
            // Its file would look like that of a server.
            await(socket.close(), CLOSING);
            throw refused;
        }
        // After the port is ours: workers that start for nothing may do harm.
        pools.start(socket, server.port());
        return new Core(options, serverLog, loops, pools, socket, server, admin, accessLog);
    }

    /**
     * Serves with other pools and routes; waits until it does.
     *
     * @return what becomes of the workers that are then replaced, see {@link Pools#change}; empty
     *     if it does not, and all is as it was
     */
    Optional<CompletableFuture<String>> change(List<PoolPlan> plans) {
        return pools.change(plans);
    }

    /** For whoever changes or asks something while it serves. */
    List<WorkerPool> pools() {
        return pools.list();
    }

    /** Where clients find it. */
    InetSocketAddress address() {
        return server.address();
    }

    /** Where operators find it, or null if it has no admin server, or not yet. */
    @Nullable String adminUrl() {
        Integer port = admin == null ? null : admin.number();
        return port == null || options.admin() == null
                ? null
                : Service.url(options.admin().host(), port);
    }

    Path socketPath() {
        return socket.path();
    }

    /**
     * Lets the requests in hand finish, then the workers leave, then stops.
     *
     * @return how many requests were cut off because they took longer than allowed
     */
    int drain() {
        if (admin != null) {
            admin.beginDraining();
        }
        // An event loop that turns no more must not hold up the end: each wait has its own.
        await(server.drain(options.drainTimeout()), options.drainTimeout().plus(CLOSING));
        await(pools.drain(), WORKERS_END);
        await(socket.close(), CLOSING);
        if (admin != null) {
            admin.stop();
        }
        try {
            loops.stop();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        if (accessLog != null) {
            accessLog.close(CLOSING);
        }
        return serverLog.cutOff();
    }

    /** Goes on in a new access log file: the old one was moved away. Any thread. */
    void reopenAccessLog() {
        if (accessLog == null) {
            LOG.log(Level.INFO, "there is no access log to open anew (--access-log)");
        } else {
            accessLog.reopen();
        }
    }

    private static void await(CompletableFuture<Void> done, Duration limit) {
        done.completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    private static @Nullable AccessLog openAccessLog(CoreOptions options) throws StartException {
        RequestOptions wanted = options.requests();
        if (wanted.accessLog() instanceof AccessTarget.Off) {
            return null;
        }
        try {
            return AccessLog.open(
                    wanted.accessLog(), wanted.logFormat(), Console.STDOUT::write, options.loops());
        } catch (IOException failure) {
            throw new StartException(
                    "the access log %s cannot be opened: %s (--access-log)"
                            .formatted(wanted.accessLog(), why(failure)),
                    failure);
        }
    }

    /** Some exceptions of files name nothing but the file. */
    private static String why(IOException failure) {
        return failure instanceof NoSuchFileException
                ? "its folder does not exist"
                : String.valueOf(failure.getMessage());
    }

    private static Map<String, LongSupplier> logs(@Nullable AccessLog accessLog) {
        Map<String, LongSupplier> logs = new LinkedHashMap<>();
        logs.put("server", LogLines::droppedLines);
        logs.put("access", accessLog == null ? () -> 0 : accessLog::droppedLines);
        return logs;
    }

    private static ServerListener listeners(
            ServerLog log, Counters counters, @Nullable AccessLog accessLog) {
        ServerListener always = ServerListener.both(log, counters.serverListener());
        return accessLog == null ? always : ServerListener.both(always, accessLog.listener());
    }

    private static EventLoops startLoops(CoreOptions options, LoopListener listener)
            throws StartException {
        try {
            return EventLoops.start("handoff-loop", options.loops(), Clock.SYSTEM, listener);
        } catch (IOException failure) {
            throw new StartException("cannot start: " + failure.getMessage(), failure);
        }
    }

    private static WorkerSocket openSocket(
            SocketPlace place, Pools pools, EventLoops loops, boolean follows)
            throws StartException {
        Path path = place.socket();
        try {
            return follows
                    ? WorkerSocket.takeOver(path, pools.entrances(), loops.get(0), place.group())
                    : WorkerSocket.open(path, pools.entrances(), loops.get(0), place.group());
        } catch (IOException failure) {
            String why = String.valueOf(failure.getMessage());
            // Some messages name the path themselves.
            throw new StartException(
                    why.contains(path.toString())
                            ? "the worker socket: " + why
                            : "the worker socket " + path + ": " + why,
                    failure);
        }
    }

    private static void startServer(HttpServer server, CoreOptions options) throws StartException {
        String place = "port " + options.port() + " on " + options.host();
        try {
            server.start();
        } catch (BindException failure) {
            String why = String.valueOf(failure.getMessage());
            throw new StartException(
                    why.contains("in use")
                            ? place + " is in use (choose another with --port)"
                            : "cannot listen on " + place + ": " + why,
                    failure);
        } catch (UnknownHostException | UnresolvedAddressException failure) {
            throw new StartException(
                    "the address of '" + options.host() + "' (--host) is unknown", failure);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot listen on " + place + ": " + failure.getMessage(), failure);
        }
    }

    /**
     * A port that was chosen must be had; without the usual one it goes on, and says so. A core
     * that follows another waits for either.
     */
    private static @Nullable AdminPort startAdmin(
            AdminSettings chosen,
            Administration administration,
            Subject subject,
            ServerLog log,
            boolean follows)
            throws StartException {
        int port = chosen.portOrUsual();
        AdminOptions options =
                new AdminOptions(
                        chosen.host(),
                        port,
                        administration.token(),
                        OpenFiles.operatorConnections());
        try {
            AdminServer server =
                    AdminServer.prepare(
                            options, subject, administration.operations(), Version.NUMBER, log);
            return follows ? AdminPort.openWhenFree(port, server) : AdminPort.open(server);
        } catch (IOException | UnresolvedAddressException failure) {
            String why =
                    "no admin server on port %d of %s: %s (choose another with --admin-port)"
                            .formatted(port, chosen.host(), failure.getMessage());
            if (chosen.isAskedFor()) {
                throw new StartException(why, failure);
            }
            LOG.log(Level.WARNING, why);
            return null;
        }
    }
}

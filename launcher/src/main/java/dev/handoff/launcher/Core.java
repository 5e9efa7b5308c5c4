package dev.handoff.launcher;

import dev.handoff.admin.AdminOptions;
import dev.handoff.admin.AdminServer;
import dev.handoff.admin.api.AccessToken;
import dev.handoff.admin.api.ServerOperations;
import dev.handoff.admin.stats.Counters;
import dev.handoff.admin.stats.ObservedServer;
import dev.handoff.http.Refusal;
import dev.handoff.launcher.access.AccessLog;
import dev.handoff.launcher.config.AccessTarget;
import dev.handoff.launcher.config.AdminSettings;
import dev.handoff.launcher.config.Configuration;
import dev.handoff.launcher.config.CoreOptions;
import dev.handoff.launcher.config.Limits;
import dev.handoff.launcher.config.RequestOptions;
import dev.handoff.launcher.config.SpoolOptions;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.Units;
import dev.handoff.launcher.logging.Console;
import dev.handoff.launcher.logging.LogLines;
import dev.handoff.launcher.logging.ServerLog;
import dev.handoff.launcher.logging.SizeLog;
import dev.handoff.loop.BothLoopListeners;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.join.WorkerSocket;
import dev.handoff.server.BothServerListeners;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerListener;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.Spool;
import dev.handoff.server.files.FileThreads;
import dev.handoff.server.forwarding.Origin;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The server, its pools and the workers' socket, wired together on the same event loops. Started
 * and stopped by the main thread.
 */
public final class Core {
    private static final System.Logger LOG = System.getLogger(Core.class.getName());

    /**
     * Workers get a second to leave, then TERM, then after five seconds KILL; then it is enough.
     */
    private static final Duration WORKERS_END = Duration.ofSeconds(10);

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final CoreOptions options;

    /** Where the workers' socket is; belongs to who reloads. */
    private SocketPlace place;

    private final ServerLog serverLog;
    private final EventLoops loops;
    private final Pools pools;
    private final ConnectionRoom room;
    private final WorkerSocket socket;
    private final HttpServer server;
    private final @Nullable AdminPort admin;
    private final @Nullable AccessLog accessLog;
    private final @Nullable Certificates certificates;

    /**
     * What the admin server has besides the core.
     *
     * @param token what its callers have to show; null for nothing
     */
    record Administration(ServerOperations operations, @Nullable AccessToken token) {}

    private Core(
            CoreOptions options,
            SocketPlace place,
            ServerLog serverLog,
            EventLoops loops,
            Pools pools,
            ConnectionRoom room,
            WorkerSocket socket,
            HttpServer server,
            @Nullable AdminPort admin,
            @Nullable AccessLog accessLog,
            @Nullable Certificates certificates) {
        this.options = options;
        this.place = place;
        this.serverLog = serverLog;
        this.loops = loops;
        this.pools = pools;
        this.room = room;
        this.socket = socket;
        this.server = server;
        this.admin = admin;
        this.accessLog = accessLog;
        this.certificates = certificates;
    }

    /**
     * Starts to listen for workers, then for clients, so that no client comes too early.
     *
     * @param configuration whose pools and routes are served; its options are in {@code wanted}
     * @param inherited the socket to accept on in place of host and port; then another core may
     *     still be serving, from which this one takes over the worker socket and the admin port
     * @param firstStart hears that no worker can start
     * @param room hears how many workers there shall be, and says how many clients
     * @param administration what can be done to it from outside
     * @throws StartException if it cannot; what was started by then ends with the process
     */
    static Core start(
            CoreOptions wanted,
            SocketPlace place,
            Configuration configuration,
            Map<String, String> environment,
            @Nullable InheritedSocket inherited,
            FirstStart firstStart,
            ConnectionRoom room,
            Administration administration)
            throws StartException {
        Certificates certificates = wanted.tls() == null ? null : Certificates.read(wanted.tls());
        Spool spool = openSpool(wanted);
        CoreOptions options = spool == null ? wanted.withoutSpool() : wanted;
        ServerLog serverLog = new ServerLog();
        AccessLog accessLog = openAccessLog(options);
        Counters counters = new Counters(options.loops());
        EventLoops loops =
                startLoops(options, new BothLoopListeners(serverLog, counters.loopListener()));
        ResponseRoom responseRoom = options.server().newResponseRoom();
        long bufferedBytes = options.server().bufferedBytes();
        FileThreads files = new FileThreads(OpenFiles.sentFiles(bufferedBytes), bufferedBytes);
        Pools pools =
                new Pools(
                        configuration,
                        loops,
                        counters,
                        firstStart,
                        room,
                        environment,
                        options.server().requestTimeout(),
                        responseRoom,
                        new Targets(files));
        WorkerSocket socket = openSocket(place, pools, loops, inherited != null);
        Map<Refusal, String> sizes = Limits.sizes(options.server(), spool != null);
        ServerOptions serverOptions =
                ServerOptions.of(pools.handler())
                        .withLoops(loops)
                        .withLimits(options.server())
                        .withLimitNames(sizes)
                        .withResponseRoom(responseRoom)
                        .withOtherWork(pools::work)
                        .withListener(
                                new BothServerListeners(
                                        listeners(serverLog, counters, accessLog),
                                        new SizeLog(sizes)));
        serverOptions = options.requests().apply(serverOptions);
        if (spool != null) {
            serverOptions = serverOptions.withSpool(spool);
        }
        HttpServer server;
        AdminPort admin;
        try {
            requirePlaces(configuration, options, inherited);
            server =
                    startServer(
                            serverOptions, options, certificates, inherited, pools.firstReady());
            ObservedServer observed =
                    new ObservedServer(
                            loops,
                            server,
                            pools::list,
                            pools::retiring,
                            certificates == null ? List::of : certificates::served,
                            counters,
                            files,
                            logs(accessLog));
            admin =
                    options.admin() == null
                            ? null
                            : startAdmin(
                                    options.admin(),
                                    administration,
                                    observed,
                                    // Apart, since what operators ask for is not cut off work.
                                    new ServerLog(),
                                    inherited != null);
        } catch (StartException refused) {
            // Its file would look like that of a running server.
            await(socket.close(), CLOSING);
            throw refused;
        }
        room.tell(server::limitConnections);
        // Only now that the port is ours: a worker that starts in vain may do harm.
        pools.start(socket, server.port());
        // A class whose first use fails, as there is no thread left, can never be used again.
        Thread.startVirtualThread(() -> {});
        if (inherited != null) {
            pools.watchFirstReady();
        }
        return new Core(
                options,
                place,
                serverLog,
                loops,
                pools,
                room,
                socket,
                server,
                admin,
                accessLog,
                certificates);
    }

    /**
     * Serves with other pools and routes; waits until it does.
     *
     * @return what becomes of the workers that are then replaced, see {@link Pools#change}; empty
     *     if it does not, and all is as it was
     * @throws StartException if workers of a user cannot get to the worker socket
     */
    Optional<CompletableFuture<String>> change(Configuration next) throws StartException {
        place = place.openedTo(next.users());
        room.add(next);
        Optional<CompletableFuture<String>> replaced = pools.change(next);
        if (replaced.isPresent()) {
            room.serve(next);
        } else {
            room.keep();
        }
        return replaced;
    }

    /**
     * Why it cannot serve with these routes, whatever the rest; empty if it can. Where it listens
     * does not change while it runs.
     */
    String whatRoutesMiss(Configuration next) {
        return Places.whatRoutesMiss(next, server.placeNames());
    }

    /** The pools that serve, in the order of their plans. */
    List<WorkerPool> pools() {
        return pools.list();
    }

    /**
     * Where clients find it, for people.
     *
     * @param inherited whether on a socket that the options do not name
     */
    List<String> places(boolean inherited) {
        return Places.urls(server.addresses(), options, inherited);
    }

    /** Where operators find it, or null if it has no admin server, or not yet. */
    @Nullable String adminUrl() {
        Integer port = admin == null ? null : admin.number();
        return port == null || options.admin() == null
                ? null
                : Places.url(Origin.HTTP, options.admin().host(), port);
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
        // A stuck event loop must not hold up the end, so each wait has its own limit.
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

    /** How many responses in pieces the drain cut off, which may have had no end at all. */
    int streamsCutOff() {
        return serverLog.streamsCutOff();
    }

    /** Reopens the access log, whose file was moved away. Any thread. */
    void reopenAccessLog() {
        if (accessLog == null) {
            LOG.log(Level.INFO, "there is no access log to open anew (--access-log)");
        } else {
            accessLog.reopen();
        }
    }

    /**
     * Reads the certificates again, if there are any, as {@link Certificates#readAgain} does.
     *
     * @return has them used for connections that come from then on
     */
    Runnable readCertificates() throws StartException {
        return certificates == null ? () -> {} : certificates.readAgain();
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

    /** The message of some exceptions is only the name of the file. */
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
        ServerListener always = new BothServerListeners(log, counters.serverListener());
        return accessLog == null ? always : new BothServerListeners(always, accessLog.listener());
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
                    ? WorkerSocket.takeOver(path, pools.entrances(), loops.get(0))
                    : WorkerSocket.open(path, pools.entrances(), loops.get(0));
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

    /** Null where no file can be made, and large requests are refused. */
    private static @Nullable Spool openSpool(CoreOptions options) {
        SpoolOptions spool = options.spool();
        try {
            return Spool.open(
                    spool.directory(),
                    spool.memoryBytes(),
                    spool.mostBytes(),
                    OpenFiles.spooledRequests());
        } catch (IOException failure) {
            LOG.log(
                    Level.WARNING,
                    "no file can be made in %s (--spool-directory): %s; requests over %s are refused: 413 body_too_large"
                            .formatted(
                                    spool.directory(),
                                    failure,
                                    Units.formatSize(spool.memoryBytes())));
            return null;
        }
    }

    private static void requirePlaces(
            Configuration configuration, CoreOptions options, @Nullable InheritedSocket inherited)
            throws StartException {
        String why;
        try {
            why = Places.whatRoutesMiss(configuration, Places.names(options, inherited));
        } catch (IOException failure) {
            throw new StartException("cannot use the socket: " + failure.getMessage(), failure);
        }
        if (!why.isEmpty()) {
            throw new StartException(why);
        }
    }

    private static HttpServer startServer(
            ServerOptions server,
            CoreOptions options,
            @Nullable Certificates certificates,
            @Nullable InheritedSocket inherited,
            CompletionStage<?> workersReady)
            throws StartException {
        try {
            return HttpServer.start(
                    server.withListening(
                            Places.open(options, certificates, inherited, workersReady)));
        } catch (IOException failure) {
            throw new StartException("cannot listen: " + failure.getMessage(), failure);
        }
    }

    /**
     * A port that the user chose is required; without the default port the server starts all the
     * same, and logs that. A core that follows another waits for the port.
     */
    private static @Nullable AdminPort startAdmin(
            AdminSettings chosen,
            Administration administration,
            ObservedServer observed,
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
                            options, observed, administration.operations(), Version.NUMBER, log);
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

package dev.handoff.launcher;

import dev.handoff.admin.stats.Counters;
import dev.handoff.http.Request;
import dev.handoff.launcher.config.Configuration;
import dev.handoff.launcher.config.ListenAddress;
import dev.handoff.launcher.config.PoolPlan;
import dev.handoff.launcher.config.RoutePlan;
import dev.handoff.launcher.config.SearchPath;
import dev.handoff.launcher.config.Servers;
import dev.handoff.launcher.config.Units;
import dev.handoff.launcher.config.Workers;
import dev.handoff.launcher.logging.PoolLog;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.Dialect;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.join.WorkerEntrance;
import dev.handoff.process.join.WorkerSocket;
import dev.handoff.process.supervise.ExternalServers;
import dev.handoff.process.supervise.PoolChange;
import dev.handoff.process.supervise.ProcessStarter;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.server.routing.Route;
import dev.handoff.server.routing.Router;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The pools of a server, spread over its event loops, and the routes to them.
 *
 * <p>A change happens as a whole or not at all, and loses no request: new pools get ready first;
 * then all routes change at once; then removed pools finish their requests. Started, changed and
 * drained by threads that may wait; {@link #list} and {@link #retiring} may be called from any.
 */
final class Pools {
    private static final System.Logger LOG = System.getLogger(Pools.class.getName());

    /** The time in which a single process, too, has to get ready. */
    private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);

    private static final long READY_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** A new pool is given up when one of its processes has been restarted so often. */
    private static final int MOST_RESTARTS = 3;

    private final EventLoops loops;
    private final PoolLoops poolLoops;
    private final Counters counters;
    private final FirstStart firstStart;
    private final ConnectionRoom room;
    private final StartEvents startEvents = new StartEvents();
    private final Map<String, String> environment;
    private final ProcessStarter starter;
    private final Duration serverTimeout;
    private final ResponseRoom responseRoom;
    private final Targets targets;
    private final Router router;
    private final List<CompletableFuture<Void>> leaving = new ArrayList<>();
    private final List<WorkerPool> retiring = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> firstReady = new CompletableFuture<>();
    private volatile List<Served> served;
    private volatile boolean stopping;
    private @Nullable WorkerSocket socket;
    private int port;

    /** A pool with its plan and its handler. */
    private record Served(PoolPlan plan, WorkerPool pool, Handler handler) {}

    /**
     * @param configuration whose pools and routes are served
     * @param counters hear what the pools do
     * @param firstStart hears that the workers of a pool cannot start
     * @param room hears how many workers there shall be
     * @param environment the core's own
     * @param serverTimeout of requests for which their pool has nothing to add
     * @param responseRoom that of the server
     * @param targets makes the handlers of routes that lead to no pool
     */
    Pools(
            Configuration configuration,
            EventLoops loops,
            Counters counters,
            FirstStart firstStart,
            ConnectionRoom room,
            Map<String, String> environment,
            Duration serverTimeout,
            ResponseRoom responseRoom,
            Targets targets) {
        this.loops = loops;
        this.poolLoops = new PoolLoops(loops);
        this.counters = counters;
        this.firstStart = firstStart;
        this.room = room;
        this.environment = environment;
        this.starter = new ProcessStarter(SearchPath.of(environment).toString());
        this.serverTimeout = serverTimeout;
        this.responseRoom = responseRoom;
        this.targets = targets;
        List<Served> opened = new ArrayList<>();
        for (PoolPlan plan : configuration.pools()) {
            opened.add(open(plan, opened));
        }
        this.served = List.copyOf(opened);
        poolLoops.serve(pools(opened));
        this.router = new Router(routes(opened, configuration.routes()));
        // No process is restarted while the server ends.
        var _ = firstStart.failed().thenRun(this::drainAll);
    }

    /** What the HTTP server hands its requests to. */
    Handler handler() {
        return router;
    }

    /**
     * What the pools cost their loop, in thousandths of what all connections cost. Any thread, and
     * without waiting.
     */
    int work(EventLoop loop) {
        return poolLoops.work(loop);
    }

    /** The pools that serve, in the order of their plans. */
    List<WorkerPool> list() {
        return pools(served);
    }

    /**
     * Completes, if {@linkplain #watchFirstReady watched}, when each pool that has processes has
     * one that takes requests; or when some pool has, and others have none after a minute.
     */
    CompletionStage<Void> firstReady() {
        return firstReady;
    }

    /** Where workers enter the pools that serve. */
    List<WorkerEntrance> entrances() {
        return entrances(list());
    }

    /** The pools that were removed or replaced and finish their requests. */
    List<WorkerPool> retiring() {
        return List.copyOf(retiring);
    }

    /**
     * Starts the processes of the pools that have some. Called once.
     *
     * @param serverPort which their environment tells
     */
    synchronized void start(WorkerSocket workerSocket, int serverPort) {
        socket = workerSocket;
        port = serverPort;
        served.forEach(each -> startWorkers(each, workerSocket));
    }

    /** Has {@link #firstReady} complete. Comes behind {@link #start}. */
    void watchFirstReady() {
        Thread.startVirtualThread(this::awaitFirstReady);
    }

    private void awaitFirstReady() {
        long deadlineNanos = System.nanoTime() + READY_TIMEOUT.toNanos();
        while (!stopping) {
            List<Served> started =
                    served.stream().filter(each -> each.plan.workers() != null).toList();
            List<String> missing =
                    started.stream()
                            .filter(each -> !isReady(each.pool.snapshot().join()))
                            .map(each -> each.plan.name())
                            .toList();
            boolean isLate = System.nanoTime() - deadlineNanos >= 0;
            if (missing.isEmpty() || (isLate && missing.size() < started.size())) {
                if (!missing.isEmpty()) {
                    LOG.log(
                            Level.WARNING,
                            "serves the other pools, as no worker got ready within %s in: %s"
                                    .formatted(
                                            Units.formatTime(READY_TIMEOUT),
                                            String.join(", ", missing)));
                }
                firstReady.complete(null);
                return;
            }
            LockSupport.parkNanos(READY_LOOK_NANOS);
        }
    }

    /**
     * Serves the pools and routes of this configuration.
     *
     * @return what becomes of the workers that are then replaced by new ones, as {@link #reload}
     *     tells; empty if what was new did not get ready, and all is as it was
     */
    synchronized Optional<CompletableFuture<String>> change(Configuration next) {
        WorkerSocket workerSocket = Objects.requireNonNull(socket);
        List<Served> before = served;
        List<Served> after = new ArrayList<>();
        List<Served> fresh = new ArrayList<>();
        List<Served> all = new ArrayList<>(before);
        for (PoolPlan plan : next.pools()) {
            Served old = find(plan.name(), before);
            if (old != null && haveTheSameWorkers(old.plan, plan)) {
                after.add(new Served(plan, old.pool, old.handler));
            } else {
                Served opened = open(plan, all);
                fresh.add(opened);
                all.add(opened);
                after.add(opened);
            }
        }
        List<Served> unwanted =
                before.stream().filter(old -> !pools(after).contains(old.pool)).toList();
        if (!letIn(after, before, workerSocket)) {
            retire(fresh);
            return Optional.empty();
        }
        fresh.forEach(each -> startWorkers(each, workerSocket));
        if (!areReady(fresh)) {
            letIn(before, fresh, workerSocket);
            retiring.addAll(pools(fresh));
            retire(fresh);
            return Optional.empty();
        }
        after.forEach(each -> each.pool.limits(each.plan.limits()));
        router.replace(routes(after, next.routes()));
        // Before they stop to serve, so that they are in one list at any moment.
        retiring.addAll(pools(unwanted));
        served = List.copyOf(after);
        poolLoops.serve(pools(after));
        awaitTurns();
        retire(unwanted);
        return Optional.of(renew(after, before));
    }

    private void drainAll() {
        for (WorkerPool each : list()) {
            var _ = each.drain();
        }
    }

    /** Lets all workers finish what they hold, and ends them. */
    CompletableFuture<Void> drain() {
        stopping = true;
        startEvents.wake();
        synchronized (this) {
            served.forEach(each -> leaving.add(each.pool.drain()));
            return CompletableFuture.allOf(leaving.toArray(CompletableFuture<?>[]::new));
        }
    }

    /**
     * @param others the pools that are there, or will be
     */
    private Served open(PoolPlan plan, List<Served> others) {
        int chosen = poolLoops.choose(pools(others));
        Workers workers = plan.workers();
        WorkerPool pool =
                new WorkerPool(
                        plan.name(),
                        plan.account(),
                        loops.get(chosen),
                        plan.isOfServers() ? Dialect.HTTP : Dialect.FRAMES,
                        plan.limits(),
                        responseRoom,
                        List.of(
                                new PoolLog(
                                        plan.name(),
                                        workers == null ? null : workers.command().line(),
                                        plan.isOfServers(),
                                        firstStart.endsServer()),
                                firstStart,
                                startEvents,
                                room.of(plan.name()),
                                counters.poolListener(plan.name(), chosen)),
                        Version.NAME_AND_NUMBER);
        return new Served(plan, pool, pool.handler());
    }

    private void startWorkers(Served each, WorkerSocket workerSocket) {
        Workers workers = each.plan.workers();
        if (workers != null) {
            each.pool.supervise(
                    workers.connectingTo(workerSocket.path(), port, environment),
                    workers.count(),
                    workers.recycling(),
                    starter);
        }
        Servers servers = each.plan.servers();
        if (servers != null) {
            each.pool.connect(
                    servers.places().stream().map(Pools::place).toList(), servers.concurrency());
        }
        if (workers == null && servers == null) {
            each.pool.expectWorkers();
        }
    }

    private static ExternalServers.Place place(ListenAddress address) {
        return new ExternalServers.Place(
                switch (address) {
                    case ListenAddress.Tcp(String host, int port) ->
                            new InetSocketAddress(host, port);
                    case ListenAddress.UnixFile(Path path) -> UnixDomainSocketAddress.of(path);
                },
                address.text());
    }

    /**
     * Workers join {@code first}, but those that others have started join these: a process that
     * crashes while its pool finishes what it has is started again.
     *
     * @return whether the workers can reach the socket; if not, nothing has changed
     */
    private static boolean letIn(
            List<Served> first, List<Served> others, WorkerSocket workerSocket) {
        Set<WorkerPool> joinable = new LinkedHashSet<>(pools(first));
        joinable.addAll(pools(others));
        try {
            workerSocket.serve(entrances(joinable));
            return true;
        } catch (IOException failure) {
            LOG.log(
                    Level.ERROR,
                    "the worker socket %s cannot be opened to the pools' users: %s"
                            .formatted(workerSocket.path(), failure));
            return false;
        }
    }

    private static List<WorkerEntrance> entrances(Collection<WorkerPool> pools) {
        return pools.stream().map(WorkerPool::entrance).toList();
    }

    /** Waits until each pool that has processes has one that takes requests. */
    private boolean areReady(List<Served> fresh) {
        long deadlineNanos = System.nanoTime() + READY_TIMEOUT.toNanos();
        for (Served each : fresh) {
            while (each.plan.workers() != null) {
                PoolSnapshot now = each.pool.snapshot().join();
                if (isReady(now)) {
                    break;
                }
                if (stopping || crashesAgainAndAgain(now)) {
                    return false;
                }
                long leftNanos = deadlineNanos - System.nanoTime();
                if (leftNanos <= 0) {
                    LOG.log(
                            Level.ERROR,
                            "no worker of the new pool %s got ready within %s"
                                    .formatted(each.plan.name(), Units.formatTime(READY_TIMEOUT)));
                    return false;
                }
                try {
                    startEvents.await(leftNanos);
                } catch (InterruptedException ending) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isReady(PoolSnapshot pool) {
        return pool.workers().stream().anyMatch(worker -> worker.state().equals("ready"));
    }

    private static boolean crashesAgainAndAgain(PoolSnapshot pool) {
        for (PoolSnapshot.Worker worker : pool.workers()) {
            if (worker.restarts() >= MOST_RESTARTS) {
                LOG.log(
                        Level.ERROR,
                        "no worker of the new pool %s gets ready: %s"
                                .formatted(pool.name(), worker.lastError()));
                return true;
            }
        }
        return false;
    }

    /**
     * Has the processes of pools that were there before replaced, as their code may be new, and
     * servers asked again that were drained.
     */
    private static CompletableFuture<String> renew(List<Served> after, List<Served> before) {
        List<WorkerPool> old = pools(before);
        List<WorkerPool> renewed = new ArrayList<>();
        for (Served each : after) {
            if (each.plan.isVisited() || !old.contains(each.pool)) {
                continue;
            }
            if (each.plan.workers() != null) {
                var _ = each.pool.scale(each.plan.processes());
            }
            renewed.add(each.pool);
        }
        return reload(renewed);
    }

    private static boolean haveTheSameWorkers(PoolPlan old, PoolPlan now) {
        return Objects.equals(old.servers(), now.servers())
                && differAtMostInCount(old.workers(), now.workers());
    }

    private static boolean differAtMostInCount(@Nullable Workers old, @Nullable Workers now) {
        if (old == null || now == null) {
            return old == null && now == null;
        }
        return old.withCount(now.count()).equals(now);
    }

    /** Waits until no request is on its way to a pool without routes. */
    private void awaitTurns() {
        for (int i = 0; i < loops.count(); i++) {
            loops.get(i).ask(() -> true).exceptionally(stopped -> false).join();
        }
    }

    private void retire(List<Served> unwanted) {
        leaving.removeIf(CompletableFuture::isDone);
        for (Served each : unwanted) {
            LOG.log(Level.INFO, "pool " + each.plan.name() + " finishes what it has, and ends");
            CompletableFuture<Void> left = each.pool.retire();
            leaving.add(left.thenRun(() -> retiring.remove(each.pool)));
        }
    }

    /** All routes: those of the pools, and those of the top level. */
    private List<Route> routes(List<Served> pools, List<RoutePlan> others) {
        List<Route> routes = new ArrayList<>();
        for (Served each : pools) {
            Handler handler = handler(each);
            each.plan
                    .routes()
                    .forEach(route ->
                            routes.add(new Route(route.pattern(), handler, route.prefix())));
        }
        others.forEach(each ->
                routes.add(
                        new Route(
                                each.pattern(),
                                targets.handler(
                                        each.target(),
                                        NamedPool::new,
                                        names -> oneOf(names, pools)),
                                each.prefix())));
        return routes;
    }

    private PoolChoice oneOf(List<String> names, List<Served> pools) {
        return new PoolChoice(
                names.stream()
                        .map(name -> Objects.requireNonNull(find(name, pools)))
                        .map(each -> new PoolChoice.Candidate(each.pool, handler(each)))
                        .toList());
    }

    private Handler handler(Served pool) {
        Duration timeout = pool.plan.requestTimeout();
        return timeout.equals(serverTimeout) ? pool.handler : pool.handler.within(timeout);
    }

    /**
     * Hands requests to the pool that has a name at the moment: they come later than by a route.
     */
    private final class NamedPool implements Handler {
        private final String name;

        NamedPool(String name) {
            this.name = name;
        }

        @Override
        public boolean takesContentAsItComes(Request head, Origin origin) {
            Served pool = find(name, served);
            return pool != null && pool.handler.takesContentAsItComes(head, origin);
        }

        @Override
        public void handle(Exchange exchange) {
            Served pool = find(name, served);
            // Without the pool there are other routes by now.
            (pool == null ? router : handler(pool)).handle(exchange);
        }
    }

    private static @Nullable Served find(String name, List<Served> pools) {
        for (Served each : pools) {
            if (each.plan.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    private static List<WorkerPool> pools(List<Served> served) {
        return served.stream().map(Served::pool).toList();
    }

    /**
     * Has the workers of these pools replaced; how it goes is told to the pools' listeners.
     *
     * @return completes when all are done with an empty string, or with why the first of those that
     *     failed did
     */
    static CompletableFuture<String> reload(List<WorkerPool> pools) {
        CompletableFuture<String> first = CompletableFuture.completedFuture("");
        for (WorkerPool pool : pools) {
            CompletableFuture<String> next =
                    pool.reload().thenApply(outcome -> whyNot(pool.name(), outcome));
            first = first.thenCombine(next, (why, another) -> why.isEmpty() ? another : why);
        }
        return first;
    }

    /** Why a pool is not reloaded; empty if it is. */
    private static String whyNot(String pool, PoolChange outcome) {
        return switch (outcome) {
            case PoolChange.Done(int workers) -> "";
            case PoolChange.Failed(int workers, var error) ->
                    "pool %s: %d replaced, then given up; the other workers go on as they are: %s"
                            .formatted(pool, workers, error.summary());
            case PoolChange.Refused(String reason) -> {
                String why = "pool " + pool + " is not reloaded: " + reason;
                LOG.log(Level.WARNING, why);
                yield why;
            }
            case PoolChange.Unknown() ->
                    throw new IllegalStateException("a pool does not know itself");
        };
    }
}

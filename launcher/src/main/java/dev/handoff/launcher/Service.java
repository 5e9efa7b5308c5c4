package dev.handoff.launcher;

import dev.handoff.admin.api.AccessToken;
import dev.handoff.admin.api.ReloadOutcome;
import dev.handoff.admin.api.ServerOperations;
import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.ConfigPrinter;
import dev.handoff.launcher.config.Configuration;
import dev.handoff.launcher.config.ConfigurationException;
import dev.handoff.launcher.config.ConfigurationSource;
import dev.handoff.launcher.config.CoreOptions;
import dev.handoff.launcher.config.FolderRights;
import dev.handoff.launcher.config.Options;
import dev.handoff.launcher.config.PoolPlan;
import dev.handoff.launcher.config.Setting;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.Units;
import dev.handoff.launcher.config.UsageException;
import dev.handoff.launcher.config.Workers;
import dev.handoff.launcher.logging.Console;
import dev.handoff.launcher.logging.LogLines;
import dev.handoff.process.supervise.ResidentMemory;
import dev.handoff.process.supervise.WorkerError;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs {@code run} and {@code serve} from the start to the stop, on the main thread. */
final class Service {
    private static final System.Logger LOG = System.getLogger(Service.class.getName());

    private final SocketPlace place;
    private final @Nullable ConfigurationSource source;
    private final @Nullable AccessToken adminToken;
    private final Map<String, String> environment;
    private final CoreOptions options;

    /** Runs one reload after another; each may wait for workers. */
    private final ExecutorService reloads =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("handoff-reload").daemon().factory());

    /** The reload that waits for its turn; null if none does. */
    private final AtomicReference<@Nullable CompletableFuture<ReloadOutcome>> nextReload =
            new AtomicReference<>();

    /** Null until it serves. */
    private volatile @Nullable Core running;

    /** The configuration as last read. After the start only the thread of the reloads writes it. */
    private volatile Configuration configuration;

    /**
     * @param source where to read the configuration anew; null if it cannot change
     * @param adminToken what callers of the admin server have to show; null for nothing
     */
    Service(
            Configuration configuration,
            SocketPlace place,
            @Nullable ConfigurationSource source,
            @Nullable AccessToken adminToken,
            Map<String, String> environment) {
        this.configuration = configuration;
        this.options = configuration.core();
        this.place = place;
        this.source = source;
        this.adminToken = adminToken;
        this.environment = environment;
    }

    /**
     * Serves until a signal says stop.
     *
     * @param firstStart says when serving is useless
     * @return the exit code: 0 if every request in hand was finished, else 1; 4 if no worker can
     *     start
     */
    int run(FirstStart firstStart) throws StartException {
        StopSignals signals = StopSignals.install(Service::stopAtOnce);
        OperatorSignals operator =
                OperatorSignals.install(() -> {
                    var _ = reload();
                });
        List<PoolPlan> plans = configuration.pools();
        ConnectionRoom room = new ConnectionRoom(mostConnections(), options.loops(), configuration);
        InheritedSocket inherited = InheritedSocket.find(environment);
        Core core =
                Core.start(
                        options.withConnections(room.most()),
                        place,
                        configuration,
                        environment,
                        inherited,
                        firstStart,
                        room,
                        new Core.Administration(new Operations(signals), adminToken));
        running = core;
        watch(plans, core);
        operator.serve(core);
        warnIfInit();
        warnIfRoot(plans);
        warnOfReplaceableFolders(configuration);
        warnIfHeapIsSmall(plans);
        Console.STDOUT.print(
                LogLines.announcement(LOG.getName(), greeting(core, inherited != null)));
        CompletableFuture.anyOf(signals.first(), firstStart.failed()).join();
        int exitCode =
                signals.first().isDone()
                        ? drain(core, signals.first().join())
                        : giveUp(firstStart.failed().join());
        LogLines.flush();
        return exitCode;
    }

    /**
     * Reads the configuration file again, if there is one, and serves as it says, when the workers
     * for that are ready; then replaces the other workers by new ones. If something is wrong with
     * the file, all stays as it was. A call while another reload waits for its turn shares that
     * one. Any thread; returns at once.
     *
     * @return completes when the server serves so with new workers, or has failed to
     */
    CompletableFuture<ReloadOutcome> reload() {
        CompletableFuture<ReloadOutcome> outcome = new CompletableFuture<>();
        CompletableFuture<ReloadOutcome> before = nextReload.compareAndExchange(null, outcome);
        if (before != null) {
            return before;
        }
        reloads.execute(() -> {
            nextReload.set(null);
            try {
                var _ =
                        reloadNow()
                                .whenComplete((told, bug) ->
                                        outcome.complete(bug == null ? told : failed(bug)));
            } catch (RuntimeException bug) {
                outcome.complete(failed(bug));
            }
        });
        return outcome;
    }

    private static ReloadOutcome failed(Throwable bug) {
        LOG.log(Level.ERROR, "the reload failed", bug);
        return new ReloadOutcome.Failed("the reload failed: " + bug);
    }

    /** Does not wait for the workers: some that hang must not block the reload of a mended file. */
    private CompletableFuture<ReloadOutcome> reloadNow() {
        Core core = running;
        if (core == null) {
            return given(new ReloadOutcome.Failed("the server does not serve yet"));
        }
        Runnable certificates;
        try {
            certificates = core.readCertificates();
        } catch (StartException unusable) {
            String wrong = String.valueOf(unusable.getMessage());
            LOG.log(Level.ERROR, "the certificates and all else stay as they were: " + wrong);
            return given(new ReloadOutcome.Failed(wrong));
        }
        if (source != null) {
            return reload(core, source, certificates);
        }
        certificates.run();
        return Pools.reload(core.pools()).thenApply(why -> outcome(why, ""));
    }

    /**
     * @param certificates has those used that were read, once nothing can be wrong any more
     */
    private CompletableFuture<ReloadOutcome> reload(
            Core core, ConfigurationSource newest, Runnable certificates) {
        Configuration next;
        Level level;
        Optional<CompletableFuture<String>> renewed;
        try {
            next = newest.read();
            level = next.options().get(AllSettings.LOG_LEVEL);
            tellWhatStays(configuration.options(), next.options());
            String missing = core.whatRoutesMiss(next);
            if (!missing.isEmpty()) {
                LOG.log(Level.ERROR, "the configuration stays as it was: " + missing);
                return given(new ReloadOutcome.Failed(missing));
            }
            renewed = core.change(next);
        } catch (ConfigurationException | UsageException | StartException wrong) {
            LOG.log(Level.ERROR, "the configuration stays as it was:\n" + wrong.getMessage());
            return given(new ReloadOutcome.Failed(String.valueOf(wrong.getMessage())));
        }
        if (renewed.isEmpty()) {
            LOG.log(Level.ERROR, "the configuration stays as it was");
            return given(new ReloadOutcome.Failed("new pools do not get ready, see the log"));
        }
        certificates.run();
        LogLines.setLevel(level);
        warnOfReplaceableFolders(next);
        String unchanged = next.saysTheSameAs(configuration) ? unchanged(next) : "";
        configuration = next;
        LOG.log(
                Level.INFO,
                unchanged.isEmpty()
                        ? "the configuration is reloaded:\n" + describe(next, core)
                        : unchanged);
        return renewed.get().thenApply(why -> outcome(why, unchanged));
    }

    /**
     * An operator who changed a file and reads this has changed another one than the server reads.
     */
    private static String unchanged(Configuration same) {
        return "the configuration file is read again: nothing in it has changed"
                + (same.startsWorkers() ? "; workers are replaced" : "");
    }

    /**
     * @param why the workers are not replaced; empty if they are
     */
    private static ReloadOutcome outcome(String why, String remark) {
        return why.isEmpty() ? new ReloadOutcome.Done(remark) : new ReloadOutcome.Failed(why);
    }

    private static CompletableFuture<ReloadOutcome> given(ReloadOutcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    /** The operations that the admin server offers. */
    private final class Operations implements ServerOperations {
        private final StopSignals signals;

        Operations(StopSignals signals) {
            this.signals = signals;
        }

        @Override
        public boolean drain() {
            return signals.request("POST /drain");
        }

        @Override
        public CompletableFuture<ReloadOutcome> reload() {
            return Service.this.reload();
        }

        @Override
        public String configuration() {
            try {
                return ConfigPrinter.print(configuration) + "\n";
            } catch (UsageException checkedBefore) {
                throw new IllegalStateException(checkedBefore);
            }
        }
    }

    /** Warns about changed settings that take effect at a start only. */
    private static void tellWhatStays(Options now, Options next) throws UsageException {
        for (Setting<?> setting : AllSettings.inFile()) {
            if (!AllSettings.canChange(setting)
                    && !Objects.equals(now.find(setting), next.find(setting))) {
                LOG.log(
                        Level.WARNING,
                        setting.key() + " cannot change while the server runs: start it anew");
            }
        }
    }

    /** Watches the workers' files, and their memory, where the user wants that. */
    private static void watch(List<PoolPlan> plans, Core core) throws StartException {
        for (PoolPlan plan : plans) {
            Workers workers = plan.workers();
            if (workers != null) {
                watch(workers, core);
            }
        }
    }

    private static void watch(Workers workers, Core core) throws StartException {
        if (workers.recycling().memoryBytes() > 0 && !ResidentMemory.isKnown()) {
            LOG.log(
                    Level.WARNING,
                    "--recycle-memory has no effect: this system does not tell what a process"
                            + " holds");
        }
        if (workers.watch()) {
            Path folder = workers.command().folder();
            SourceWatch.start(
                    folder,
                    changed -> {
                        LOG.log(Level.INFO, changed + " has changed");
                        var _ = Pools.reload(core.pools());
                    });
            LOG.log(Level.INFO, "watching " + folder.toAbsolutePath().normalize());
        }
    }

    /** Java reaps its own children only, see decision 7. */
    private static void warnIfInit() {
        if (ProcessHandle.current().pid() == 1) {
            LOG.log(
                    Level.WARNING,
                    "Java is process 1 here and cannot reap what workers leave behind: start it"
                            + " with the script handoff, or below an init (docker run --init)");
        }
    }

    /** What a handler is made to do, it does with the rights of its worker. */
    private static void warnIfRoot(List<PoolPlan> plans) {
        boolean unasked =
                plans.stream()
                        .map(PoolPlan::workers)
                        .anyMatch(workers -> workers != null && workers.user() == null);
        if (unasked && isRoot()) {
            LOG.log(
                    Level.WARNING,
                    "the workers run as root, so a flaw in the handler opens the whole system:"
                            + " --user NAME, or a pool's user, runs them as another user");
        }
    }

    /** What is above a folder that is sent may lead elsewhere when the folder is looked up. */
    private static void warnOfReplaceableFolders(Configuration configuration) {
        if (!isRoot()) {
            return;
        }
        for (Path folder : configuration.servedFolders()) {
            if (FolderRights.mayOthersReplace(folder)) {
                LOG.log(
                        Level.WARNING,
                        "the files of %s are sent, and others than root may put a link in its place: this server would send what it leads to, for it may read everything. Let all folders above it belong to root, and nobody else write to them"
                                .formatted(folder));
            }
        }
    }

    private static boolean isRoot() {
        return ProcessHandle.current().info().user().orElse("").equals("root");
    }

    /** As many as the limit says, or as the heap has room for. */
    private int mostConnections() {
        int wanted = options.server().connections();
        if (options.tls() == null) {
            return wanted;
        }
        long heapBytes = Runtime.getRuntime().maxMemory();
        int most = HeapNeed.tlsConnections(wanted, heapBytes);
        if (most < wanted) {
            LOG.log(
                    Level.WARNING,
                    "with TLS the heap of %s has room for %d connections, not %d: give Java more (HANDOFF_JAVA_OPTS, -Xmx), or lower --max-connections"
                            .formatted(Units.formatSize(heapBytes), most, wanted));
        }
        return most;
    }

    private void warnIfHeapIsSmall(List<PoolPlan> plans) {
        String complaint =
                HeapNeed.complaint(
                        options.server(),
                        Math.min(
                                options.server().request().bodyBytes(),
                                options.spool().memoryBytes()),
                        plans,
                        Runtime.getRuntime().maxMemory());
        if (complaint != null) {
            LOG.log(Level.WARNING, complaint);
        }
    }

    private static int giveUp(WorkerError error) {
        LOG.log(
                Level.ERROR,
                "no worker has become ready, so the server stops: %s: %s; its output is above (with --watch the server waits for a change that mends it)"
                        .formatted(error.worker(), error.reason()));
        return ExitCode.NO_WORKER;
    }

    private int drain(Core core, String signal) {
        LOG.log(
                Level.INFO,
                "%s: finishing the requests in hand, for %s at most; a second signal stops at once"
                        .formatted(signal, Units.formatTime(options.drainTimeout())));
        int cutOff = core.drain();
        if (cutOff > 0) {
            LOG.log(Level.WARNING, "stopped; requests that were cut off unfinished: " + cutOff);
            return ExitCode.FAILED;
        }
        int streams = core.streamsCutOff();
        LOG.log(
                Level.INFO,
                streams == 0
                        ? "stopped"
                        : "stopped; responses in pieces that were cut off: " + streams);
        return ExitCode.CLEAN;
    }

    private static void stopAtOnce(String signal) {
        LOG.log(Level.WARNING, signal + " again: stopping at once");
        System.exit(ExitCode.FAILED);
    }

    private String greeting(Core core, boolean inherited) {
        String adminUrl = core.adminUrl();
        return "%s serving%s%n→ %s%s%s"
                .formatted(
                        Version.NAME_AND_NUMBER,
                        source == null
                                ? " " + workers(configuration.pools().getFirst(), core)
                                : "\n" + describe(configuration, core),
                        String.join("\n→ ", core.places(inherited)),
                        inherited ? "\n  on the socket that it inherited" : "",
                        adminUrl == null ? "" : "\n  dashboard " + adminUrl);
    }

    /** A line for each pool, and for each route that leads elsewhere. */
    private static String describe(Configuration configuration, Core core) {
        Stream<String> pools =
                configuration.pools().stream()
                        .map(plan -> "%s: %s".formatted(plan.summary(), workers(plan, core)));
        return Stream.concat(pools, configuration.routeSummaries())
                .map(line -> "  " + line)
                .collect(Collectors.joining("\n"));
    }

    private static String workers(PoolPlan plan, Core core) {
        return plan.isVisited()
                ? "with the workers that connect to HANDOFF_SOCKET="
                        + core.socketPath().toAbsolutePath()
                : plan.who();
    }
}

package dev.handoff.launcher;

import dev.handoff.process.ProcessStarter;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code run} and {@code serve} do, from the start to the stop, on the main thread. */
final class Service {
    private static final System.Logger LOG = System.getLogger(Service.class.getName());

    private final CoreOptions options;
    private final SocketPlace place;
    private final @Nullable Workers workers;
    private final Map<String, String> environment;

    /**
     * @param workers the processes to start; null to wait for others
     */
    Service(
            CoreOptions options,
            SocketPlace place,
            @Nullable Workers workers,
            Map<String, String> environment) {
        this.options = options;
        this.place = place;
        this.workers = workers;
        this.environment = environment;
    }

    /**
     * Serves until a signal says stop.
     *
     * @return the exit code: 0 if every request in hand was finished, else 1
     */
    int run() throws StartException {
        Leftovers leftovers = Leftovers.removeAtExit();
        if (place.privateFolder() != null) {
            leftovers.add(place.privateFolder());
            leftovers.add(place.socket());
        }
        StopSignals signals = StopSignals.install(Service::stopAtOnce);
        int connections =
                OpenFiles.connections(
                        options.server().connections(),
                        options.loops(),
                        workers == null ? 0 : workers.count());
        InheritedSocket inherited = InheritedSocket.find(environment);
        Core core =
                Core.start(
                        options.withConnections(connections),
                        place.socket(),
                        inherited,
                        new PoolLog(commandLine()));
        if (workers != null) {
            // After the port is ours: workers that start for nothing may do harm.
            core.supervise(
                    workers.connectingTo(core.socketPath(), environment),
                    workers.count(),
                    new ProcessStarter(SearchPath.of(environment).toString()));
        }
        Console.STDOUT.print(greeting(core, inherited != null));
        return drain(core, signals.await());
    }

    private int drain(Core core, String signal) {
        LOG.log(
                Level.INFO,
                "%s: finishing what is in hand, for %s at most; a second signal stops at once"
                        .formatted(signal, Units.formatTime(options.drainTimeout())));
        int cutOff = core.drain();
        if (cutOff > 0) {
            LOG.log(Level.WARNING, "stopped; requests that were cut off unfinished: " + cutOff);
            return Main.FAILED;
        }
        LOG.log(Level.INFO, "stopped");
        return Main.CLEAN;
    }

    private static void stopAtOnce(String signal) {
        LOG.log(Level.WARNING, signal + " again: stopping at once");
        System.exit(Main.FAILED);
    }

    private @Nullable String commandLine() {
        return workers == null ? null : workers.command().line();
    }

    private String greeting(Core core, boolean inherited) {
        String who;
        if (workers == null) {
            who =
                    "with the workers that connect to HANDOFF_SOCKET="
                            + core.socketPath().toAbsolutePath();
        } else {
            String plural = workers.count() == 1 ? " worker" : " workers";
            who = workers.command().title() + " with " + workers.count() + plural;
        }
        String adminUrl = core.adminUrl();
        InetSocketAddress address = core.address();
        String host = inherited ? address.getAddress().getHostAddress() : options.host();
        return "%s serving %s%n→ %s%s%s"
                .formatted(
                        Version.NAME_AND_NUMBER,
                        who,
                        url(host, address.getPort()),
                        inherited ? "\n  on the socket that it inherited" : "",
                        adminUrl == null ? "" : "\n  admin " + adminUrl + "workers");
    }

    /** What to put into a browser here. */
    static String url(String host, int port) {
        return switch (host) {
            case "0.0.0.0", "::", "0:0:0:0:0:0:0:0" ->
                    "http://127.0.0.1:" + port + "/ and this machine's other addresses";
            default ->
                    "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port + "/";
        };
    }
}

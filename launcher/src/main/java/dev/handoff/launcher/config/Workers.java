package dev.handoff.launcher.config;

import dev.handoff.process.supervise.HttpServing;
import dev.handoff.process.supervise.RecycleLimits;
import dev.handoff.process.supervise.WorkerCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The worker processes of one pool.
 *
 * @param concurrency what each is asked to take at once; null to leave that to it
 * @param appPort the port at which an application believes that it listens; null to leave that to
 *     it
 * @param http whether they are HTTP servers
 * @param user the user that they run as; null for the server's own
 * @param stopFirst whether each ends before its successor starts
 * @param recycling when each is replaced by a new one though it works
 * @param watch whether they are replaced when a file of the handler's changes
 * @param attended whether they have the terminal of the server, and nothing hurries them
 * @param environment what the user adds to the core's own
 * @param workingDirectory where they start; null for where the core was started
 */
public record Workers(
        HandlerCommand command,
        int count,
        @Nullable Integer concurrency,
        @Nullable Integer appPort,
        boolean http,
        @Nullable WorkerUser user,
        boolean stopFirst,
        RecycleLimits recycling,
        boolean watch,
        boolean attended,
        Map<String, String> environment,
        @Nullable Path workingDirectory) {
    private static final String UNBUFFERED = "PYTHONUNBUFFERED";

    /** Where an application is told to listen, by a custom of platforms and frameworks. */
    private static final String PORT = "PORT";

    /** What an HTTP server gets at once where nobody said how many it takes. */
    public static final int SERVER_CONCURRENCY = 100;

    public Workers {
        environment = Map.copyOf(environment);
    }

    /** When the user wants processes replaced; zero stands for never. */
    public static RecycleLimits recycling(Options options) throws UsageException {
        Long requests = options.find(AllSettings.RECYCLE_REQUESTS);
        Duration age = options.find(AllSettings.RECYCLE_AGE);
        Long memoryBytes = options.find(AllSettings.RECYCLE_MEMORY);
        return new RecycleLimits(
                requests == null ? 0 : requests,
                age == null ? Duration.ZERO : age,
                memoryBytes == null ? 0 : memoryBytes);
    }

    /** The same with another number of processes. */
    public Workers withCount(int newCount) {
        return new Workers(
                command,
                newCount,
                concurrency,
                appPort,
                http,
                user,
                stopFirst,
                recycling,
                watch,
                attended,
                environment,
                workingDirectory);
    }

    /**
     * @param port of the server, at which applications may believe that they listen; 0 for none
     * @param inherited the core's own environment, which the processes inherit
     */
    public WorkerCommand connectingTo(Path socket, int port, Map<String, String> inherited) {
        Map<String, String> added = new HashMap<>(environment);
        if (!inherited.containsKey(UNBUFFERED)) {
            // Python writes in blocks into a pipe: a print would show minutes later.
            added.putIfAbsent(UNBUFFERED, "1");
        }
        HttpServing serving = null;
        if (http) {
            serving = new HttpServing(concurrencyOfServer(), appPort == null ? 0 : appPort);
        } else {
            tellWorkers(port, inherited, added);
        }
        // Absolute, since workers may start in another folder.
        Path seen = workingDirectory == null ? socket : socket.toAbsolutePath();
        Path folder = workingDirectory;
        List<String> words = command.arguments();
        String processUser = null;
        if (user != null && !user.isOurs()) {
            processUser = user.processUser();
            user.environment().forEach(added::putIfAbsent);
            Path itsFolder = folder == null ? null : folder.toAbsolutePath();
            words = user.command(words, itsFolder, environment.keySet(), added);
            folder = null;
        }
        // Two processes cannot listen at one port.
        boolean onePort = http && appPort != null;
        return new WorkerCommand(
                words, added, seen, folder, stopFirst || onePort, attended, processUser, serving);
    }

    /** How many requests each takes at once that is an HTTP server. */
    int concurrencyOfServer() {
        return concurrency == null ? SERVER_CONCURRENCY : concurrency;
    }

    /** What those are told in their environment that speak the worker protocol. */
    private void tellWorkers(int port, Map<String, String> inherited, Map<String, String> added) {
        Sdks.of(inherited).addTo(added, inherited);
        if (appPort != null) {
            added.put(AllSettings.APP_PORT.variable(), appPort.toString());
        }
        int believed = appPort == null ? port : appPort;
        if (!inherited.containsKey(PORT) && believed > 0) {
            added.putIfAbsent(PORT, Integer.toString(believed));
        }
        if (concurrency != null) {
            added.put(AllSettings.CONCURRENCY.variable(), concurrency.toString());
        }
    }
}

package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Starts processes, on one thread that lives as long as the core.
 *
 * <p>A process starts in a group of its own and with a death signal, where {@code setsid} and the
 * {@code setpriv} of util-linux exist: the group lets its children be ended with it, the death
 * signal ends it with the core, however that dies, and {@link ProcessGroups} the rest of its group.
 * The signal is tied to the thread that started the process, hence the one thread. Elsewhere a
 * worker notices the core's end by its socket.
 */
public class ProcessStarter {
    private static final ProcessBuilder.Redirect NO_INPUT =
            ProcessBuilder.Redirect.from(new File("/dev/null"));

    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("handoff-process-starter").daemon().factory());
    private final List<String> deathSignal = new ArrayList<>();
    private final String searchPath;
    private final @Nullable Path setsid;
    private final ProcessSignals signals;

    /**
     * @param searchPath where to look for programs: folders with colons between them, as in {@code
     *     PATH}
     */
    public ProcessStarter(String searchPath) {
        this.searchPath = searchPath;
        setsid = find("setsid");
        signals = new ProcessSignals(setsid != null);
        Path setpriv = find("setpriv");
        if (setpriv != null && knowsDeathSignals(setpriv)) {
            // By their paths: a pool's own PATH is not for what still runs as the core's user.
            deathSignal.addAll(List.of(setpriv.toString(), "--pdeathsig", "KILL", "--"));
        }
    }

    /**
     * Starts a process.
     *
     * @param loop on which {@code owner} hears of it
     * @param listener hears what the process writes
     * @param heldOutputs of the pool
     */
    void start(
            WorkerProcess.Owner owner,
            WorkerCommand worker,
            Map<String, String> environment,
            EventLoop loop,
            ProcessListener listener,
            HeldOutputs heldOutputs) {
        thread.execute(() -> {
            try {
                WorkerProcess.watch(
                        start(worker, environment), owner, loop, listener, heldOutputs, signals);
            } catch (Throwable failure) {
                // No failure may end this thread: all processes would end with it.
                String reason = String.valueOf(failure.getMessage());
                loop.tryExecute(() -> owner.startFailed(reason));
            }
        });
    }

    /**
     * Whether this process is no worker, but the one that ends what a killed core leaves behind.
     */
    public static boolean clearsUp(ProcessHandle process) {
        return ProcessGroups.isShell(process);
    }

    private Process start(WorkerCommand worker, Map<String, String> environment)
            throws IOException {
        List<String> arguments = worker.arguments();
        Path directory = worker.workingDirectory();
        List<String> command = new ArrayList<>();
        boolean leads = setsid != null && !worker.attended();
        if (leads) {
            command.add(String.valueOf(setsid));
        }
        command.addAll(deathSignal);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        if (worker.attended()) {
            // In the group of the core, or the terminal would be another session's.
            builder.inheritIO();
        } else {
            builder.redirectInput(NO_INPUT);
        }
        builder.environment().putAll(environment);
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        if (!isExecutable(arguments.getFirst())) {
            // The program in front of the command would start all the same, and fail then.
            throw new IOException("cannot execute " + arguments.getFirst());
        }
        if (leads) {
            signals.starting();
        }
        Process process = builder.start();
        if (leads) {
            signals.started(process);
        }
        return process;
    }

    private boolean isExecutable(String program) {
        return program.contains("/") ? Files.isExecutable(Path.of(program)) : isOnPath(program);
    }

    private boolean isOnPath(String program) {
        return find(program) != null;
    }

    private @Nullable Path find(String program) {
        for (String folder : searchPath.split(":", -1)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, program))) {
                return Path.of(folder, program).toAbsolutePath();
            }
        }
        return null;
    }

    /** That of BusyBox, as on Alpine, does not, and would start nothing. */
    private static boolean knowsDeathSignals(Path setpriv) {
        try {
            return !setpriv.toRealPath().getFileName().toString().startsWith("busybox");
        } catch (IOException gone) {
            return false;
        }
    }
}

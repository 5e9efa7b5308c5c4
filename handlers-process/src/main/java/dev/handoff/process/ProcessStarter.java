package dev.handoff.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts and signals processes, on one thread that lives as long as the core.
 *
 * <p>A process starts in a group of its own and with a death signal, where {@code setsid} and
 * {@code setpriv} exist: the group lets its children be ended with it, the death signal ends it
 * with the core, however that dies. The signal is tied to the thread that started the process,
 * hence the one thread. Elsewhere a worker notices the core's end by its socket.
 */
public class ProcessStarter {
    private static final ProcessBuilder.Redirect NO_INPUT =
            ProcessBuilder.Redirect.from(new File("/dev/null"));

    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("handoff-process-starter").daemon().factory());
    private final List<String> deathSignal = new ArrayList<>();
    private final String searchPath;
    private final boolean ownGroup;

    /**
     * @param searchPath where to look for programs: folders with colons between them, as in {@code
     *     PATH}
     */
    public ProcessStarter(String searchPath) {
        this.searchPath = searchPath;
        ownGroup = isOnPath("setsid");
        if (isOnPath("setpriv")) {
            deathSignal.addAll(List.of("setpriv", "--pdeathsig", "KILL", "--"));
        }
    }

    /** Starts a process for {@code slot}, which hears of it on the pool's loop. */
    void start(
            WorkerSlot slot,
            WorkerCommand worker,
            Map<String, String> environment,
            WorkerPool pool) {
        thread.execute(() -> {
            try {
                WorkerProcess.watch(start(worker, environment), slot, pool, this);
            } catch (Throwable failure) {
                // Whatever it is, it must not end this thread: all processes would end with it.
                String reason = String.valueOf(failure.getMessage());
                pool.loop().tryExecute(() -> slot.startFailed(reason));
            }
        });
    }

    private Process start(WorkerCommand worker, Map<String, String> environment)
            throws IOException {
        List<String> arguments = worker.arguments();
        Path directory = worker.workingDirectory();
        List<String> command = new ArrayList<>();
        if (ownGroup && !worker.attended()) {
            command.add("setsid");
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
            // What stands in front of the command would start all the same, and fail then.
            throw new IOException("cannot execute " + arguments.getFirst());
        }
        return builder.start();
    }

    /** Sends a signal to a process, and with KILL to all of its group. */
    void signal(Process process, boolean kill) {
        thread.execute(() -> {
            if (!kill) {
                process.destroy();
                return;
            }
            killGroup(process.pid());
            process.destroyForcibly();
        });
    }

    /** What a process that ended has left behind in its group. */
    void clearGroup(long pid) {
        thread.execute(() -> killGroup(pid));
    }

    private void killGroup(long pid) {
        if (!ownGroup) {
            return;
        }
        try {
            // Java can signal single processes only; the shell has a kill of its own everywhere.
            new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + pid)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException | RuntimeException | OutOfMemoryError noShell) {
            // The process itself is signalled all the same, and its children are left to init. An
            // error, such as having no thread left for the shell, must not end this thread: with
            // it every worker would get its death signal.
        }
    }

    private boolean isExecutable(String program) {
        return program.contains("/") ? Files.isExecutable(Path.of(program)) : isOnPath(program);
    }

    private boolean isOnPath(String program) {
        for (String folder : searchPath.split(":", -1)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }
}

package dev.handoff.process.supervise;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a pool's processes are started and replaced.
 *
 * @param arguments the program and its arguments
 * @param environment added to the core's own
 * @param socket where workers find the core
 * @param workingDirectory where they start; null for the core's own
 * @param stopFirst whether a process has to end before its successor starts, since both want the
 *     same port, for example
 * @param attended whether a debugger may halt the process: it has the input and output of the core,
 *     and no time limit to get ready or to answer a ping
 * @param user that they run as, as the system names it; null for the core's own
 * @param http how they serve if they are HTTP servers; null if they speak the worker protocol
 */
public record WorkerCommand(
        List<String> arguments,
        Map<String, String> environment,
        Path socket,
        @Nullable Path workingDirectory,
        boolean stopFirst,
        boolean attended,
        @Nullable String user,
        @Nullable HttpServing http) {
    public WorkerCommand {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        if (arguments.isEmpty()) {
            throw new IllegalArgumentException("a command without a program");
        }
    }

    /** A command that starts where the core was started. */
    public WorkerCommand(List<String> arguments, Map<String, String> environment, Path socket) {
        this(arguments, environment, socket, null, false, false, null, null);
    }

    /** The variables that one worker finds in its environment beside the core's own. */
    Map<String, String> environment(String pool, String worker, String token) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("HANDOFF_POOL", pool);
        all.put("HANDOFF_WORKER", worker);
        if (http == null) {
            all.put("HANDOFF_SOCKET", socket.toString());
            all.put("HANDOFF_TOKEN", token);
        }
        return all;
    }
}

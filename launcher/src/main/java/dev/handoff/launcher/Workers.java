package dev.handoff.launcher;

import dev.handoff.process.WorkerCommand;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The worker processes of one pool.
 *
 * @param concurrency what each is asked to take at once; null to leave that to it
 * @param environment what the user adds to the core's own
 * @param workingDirectory where they start; null for where the core was started
 */
record Workers(
        HandlerCommand command,
        int count,
        @Nullable Integer concurrency,
        Map<String, String> environment,
        @Nullable Path workingDirectory) {
    private static final String UNBUFFERED = "PYTHONUNBUFFERED";

    Workers {
        environment = Map.copyOf(environment);
    }

    /**
     * @param inherited the core's own environment, which the processes inherit
     */
    WorkerCommand connectingTo(Path socket, Map<String, String> inherited) {
        Map<String, String> added = new HashMap<>(environment);
        if (!inherited.containsKey(UNBUFFERED)) {
            // Into a pipe Python writes in blocks, and a print would show minutes later.
            added.putIfAbsent(UNBUFFERED, "1");
        }
        if (concurrency != null) {
            added.put(Settings.CONCURRENCY.variable(), concurrency.toString());
        }
        // In another folder a relative path would lead elsewhere.
        Path seen = workingDirectory == null ? socket : socket.toAbsolutePath();
        return new WorkerCommand(command.arguments(), added, seen, workingDirectory);
    }
}

package dev.handoff.launcher;

import dev.handoff.process.WorkerCommand;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The worker processes that {@code run} starts.
 *
 * @param concurrency what each is asked to take at once; null to leave that to it
 */
record Workers(HandlerCommand command, int count, @Nullable Integer concurrency) {
    private static final String UNBUFFERED = "PYTHONUNBUFFERED";

    /**
     * @param environment the core's own, which the processes inherit
     */
    WorkerCommand connectingTo(Path socket, Map<String, String> environment) {
        Map<String, String> added = new HashMap<>();
        if (!environment.containsKey(UNBUFFERED)) {
            // Into a pipe Python writes in blocks, and a print would show minutes later.
            added.put(UNBUFFERED, "1");
        }
        if (concurrency != null) {
            added.put(Settings.CONCURRENCY.variable(), concurrency.toString());
        }
        return new WorkerCommand(command.arguments(), added, socket);
    }
}

package dev.handoff.launcher;

import dev.handoff.process.RecycleLimits;
import dev.handoff.process.WorkerCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The worker processes that {@code run} starts.
 *
 * @param concurrency what each is asked to take at once; null to leave that to it
 * @param user who they run as; null for the server's own
 * @param recycling when each is replaced by a new one though nothing is wrong with it
 * @param watch whether they are replaced when a file of the handler's changes
 */
record Workers(
        HandlerCommand command,
        int count,
        @Nullable Integer concurrency,
        @Nullable WorkerUser user,
        RecycleLimits recycling,
        boolean watch) {
    private static final String UNBUFFERED = "PYTHONUNBUFFERED";

    /** When processes are to be replaced, as the user chose; never is zero. */
    static RecycleLimits recycling(Options options) throws UsageException {
        Long requests = options.find(Settings.RECYCLE_REQUESTS);
        Duration age = options.find(Settings.RECYCLE_AGE);
        Long memoryBytes = options.find(Settings.RECYCLE_MEMORY);
        return new RecycleLimits(
                requests == null ? 0 : requests,
                age == null ? Duration.ZERO : age,
                memoryBytes == null ? 0 : memoryBytes);
    }

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
        if (user == null) {
            return new WorkerCommand(command.arguments(), added, socket);
        }
        added.putAll(user.environment());
        return new WorkerCommand(user.command(command.arguments()), added, socket);
    }
}

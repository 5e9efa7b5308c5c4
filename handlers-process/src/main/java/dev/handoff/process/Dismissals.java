package dev.handoff.process;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the core found wrong with workers that were started elsewhere, whose places in the pool go
 * with their connections. Belongs to the pool's loop.
 */
final class Dismissals {
    /** Whoever failed longest ago is forgotten first. */
    static final int MOST_NAMES = 100;

    private final Map<String, WorkerError> byName = new LinkedHashMap<>();
    private @Nullable WorkerError latest;

    void add(WorkerConnection worker, Departure departure) {
        WorkerError error = new WorkerError(worker.id(), departure.why(), List.of());
        latest = error;
        byName.remove(worker.name());
        byName.put(worker.name(), error);
        if (byName.size() > MOST_NAMES) {
            byName.remove(byName.keySet().iterator().next());
        }
    }

    /** One of them takes requests. */
    void workerReady() {
        latest = null;
    }

    /** The latest one; null if a worker got ready since. */
    @Nullable WorkerError latest() {
        return latest;
    }

    /** That of the latest worker that called itself so; null if there was none. */
    @Nullable WorkerError of(String name) {
        return byName.get(name);
    }
}

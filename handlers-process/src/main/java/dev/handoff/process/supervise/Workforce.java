package dev.handoff.process.supervise;

import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.dispatch.WorkerPlace;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Where the workers of a pool come from: a {@link Supervisor} starts them, or they are {@link
 * ExternalWorkers}. Carries out what operators ask for, or says why not. Belongs to the pool's
 * loop.
 */
public interface Workforce {
    /** How many workers one pool may have. */
    int MOST_WORKERS = 1000;

    /**
     * Finds the place of a worker that says hello.
     *
     * @param token that the worker shows, or null
     * @param isLast whether no other pool of that name is asked after this one
     * @return null if the worker does not belong to the pool
     */
    @Nullable WorkerPlace claim(@Nullable String token, boolean isLast);

    /** How many workers the pool has at most, if it has that many now; otherwise 0. */
    int fullAt();

    CompletableFuture<PoolChange> reload();

    /**
     * @param count 1 to {@link #MOST_WORKERS}
     */
    CompletableFuture<PoolChange> scale(int count);

    CompletableFuture<PoolChange> drain(String id);

    PoolChange kill(String id);

    /** Ends all processes that the core started. */
    void stop();

    /** Whether no process is left that the core started. */
    boolean isStopped();

    /** The processes whose worker is not connected at the moment. */
    List<PoolSnapshot.Worker> unconnected();

    /** The last failure of a worker; null if none failed, or one got ready since. */
    @Nullable WorkerError lastError();
}

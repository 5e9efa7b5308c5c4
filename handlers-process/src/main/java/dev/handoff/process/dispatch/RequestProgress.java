package dev.handoff.process.dispatch;

import dev.handoff.server.Exchange;
import org.jspecify.annotations.Nullable;

/**
 * Tells what a pool has done with one request until now. To be asked on the loop of the client's
 * connection, also while the pool, on its own loop, goes on.
 */
public interface RequestProgress {
    /** The progress of an exchange's request; null if it was not given to a pool. */
    static @Nullable RequestProgress of(Exchange exchange) {
        return exchange.attachment() instanceof RequestProgress progress ? progress : null;
    }

    /** The name of the pool. */
    String pool();

    /** The id of the worker that has it or had it last; null while it waits, and if none got it. */
    @Nullable String worker();

    /**
     * How long the request waited, from {@link Exchange#arrivedNanos} until a worker got it, or it
     * was given up. If a worker gave it back, until the next worker got it.
     *
     * @param nowNanos counts as the end while it still waits, in the time of the client's loop
     */
    long waitNanos(long nowNanos);

    /**
     * The time from when its last worker got it until that answered or left; 0 if no worker got it.
     *
     * @param nowNanos counts as the end while the worker has it, in the time of the client's loop
     */
    long handlerNanos(long nowNanos);
}

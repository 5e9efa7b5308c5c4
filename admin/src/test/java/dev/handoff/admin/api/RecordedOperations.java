package dev.handoff.admin.api;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that notes what it is told. */
final class RecordedOperations implements ServerOperations {
    volatile boolean draining;
    final AtomicInteger reloads = new AtomicInteger();

    /** What a reload ends with. */
    volatile CompletableFuture<ReloadOutcome> reloaded =
            CompletableFuture.completedFuture(new ReloadOutcome.Done(""));

    @Override
    public boolean drain() {
        boolean first = !draining;
        draining = true;
        return first;
    }

    @Override
    public CompletableFuture<ReloadOutcome> reload() {
        reloads.incrementAndGet();
        return reloaded;
    }

    @Override
    public String configuration() {
        return "{\"settings\":{},\"pools\":{}}\n";
    }
}

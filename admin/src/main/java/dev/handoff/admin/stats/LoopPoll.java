package dev.handoff.admin.stats;

import dev.handoff.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks another loop the same question again and again. A loop that still owes an answer is not
 * asked anew, so that nothing piles up where a loop does not turn. Belongs to the thread of the
 * asking loop.
 */
final class LoopPoll<T> {
    /** A loop that takes longer for one turn is not serving anybody. */
    private static final long PATIENCE_MILLIS = 1000;

    private final Supplier<CompletableFuture<T>> asking;
    private final Consumer<T> taker;
    private final EventLoop askingLoop;
    private @Nullable CompletableFuture<Void> pending;

    /**
     * @param taker hears each answer, on the asking loop, also one that comes late
     * @param askingLoop the asking loop
     */
    LoopPoll(Supplier<CompletableFuture<T>> asking, Consumer<T> taker, EventLoop askingLoop) {
        this.asking = asking;
        this.taker = taker;
        this.askingLoop = askingLoop;
    }

    /** Asks; completes when the answer has been taken, or after a second. */
    CompletableFuture<Void> ask() {
        CompletableFuture<Void> open = pending;
        if (open == null || open.isDone()) {
            open = asking.get().thenAcceptAsync(taker, askingLoop);
            pending = open;
        }
        return open.copy().completeOnTimeout(null, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Whether no answer is owed; if not, the last one is old. */
    boolean isAnswered() {
        return pending == null || pending.isDone();
    }
}

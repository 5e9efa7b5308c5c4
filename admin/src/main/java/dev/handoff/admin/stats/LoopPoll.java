package dev.handoff.admin.stats;

import dev.handoff.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of another loop, again and again. Whoever has not answered is not asked anew, so
 * that nothing piles up at a loop that does not turn. Belongs to the thread of the asking loop.
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

    /** Asks; completes when the answer has been taken, or patience ends. */
    CompletableFuture<Void> ask() {
        CompletableFuture<Void> open = pending;
        if (open == null || open.isDone()) {
            open = asking.get().thenAcceptAsync(taker, askingLoop);
            pending = open;
        }
        return open.copy().completeOnTimeout(null, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Whether nothing is owed; if not, what was taken last is old. */
    boolean isAnswered() {
        return pending == null || pending.isDone();
    }
}

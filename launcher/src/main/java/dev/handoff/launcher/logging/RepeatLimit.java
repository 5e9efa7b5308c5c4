package dev.handoff.launcher.logging;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Limits messages that clients or workers can repeat endlessly: it passes on so many a second, and
 * then tells how many it held back. Messages are shown by their {@code toString}. May be used from
 * any thread.
 */
final class RepeatLimit {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Runs a task later, once. */
    @FunctionalInterface
    interface Later {
        /** In real time, on another thread. */
        Later REAL =
                (delayNanos, action) ->
                        CompletableFuture.delayedExecutor(delayNanos, TimeUnit.NANOSECONDS)
                                .execute(action);

        void run(long delayNanos, Runnable action);
    }

    private final int perSecond;
    private final Consumer<Object> receiver;
    private final LongSupplier nanoTime;
    private final Later later;
    private long windowEndNanos;
    private int passed;
    private int held;

    RepeatLimit(int perSecond, Consumer<Object> receiver) {
        this(perSecond, receiver, System::nanoTime, Later.REAL);
    }

    RepeatLimit(int perSecond, Consumer<Object> receiver, LongSupplier nanoTime, Later later) {
        this.perSecond = perSecond;
        this.receiver = receiver;
        this.nanoTime = nanoTime;
        this.later = later;
        this.windowEndNanos = nanoTime.getAsLong();
    }

    /** The message is made only if it is passed on. */
    synchronized void tell(Supplier<?> message) {
        long now = nanoTime.getAsLong();
        if (held == 0 && now - windowEndNanos >= 0) {
            windowEndNanos = now + WINDOW_NANOS;
            passed = 0;
        }
        if (passed < perSecond) {
            passed++;
            receiver.accept(message.get());
        } else {
            if (held == 0) {
                later.run(windowEndNanos - now, this::endWindow);
            }
            held++;
        }
    }

    private synchronized void endWindow() {
        receiver.accept("… and " + held + " more like this");
        held = 0;
        passed = 0;
        windowEndNanos = nanoTime.getAsLong() + WINDOW_NANOS;
    }
}

package dev.handoff.launcher;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what other processes do, which can only be asked for, until a deadline. */
final class Await {
    /** Generous: it is used up only by a test that fails. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Await() {}

    static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /**
     * @param what asked for when the time is over
     */
    static void until(Supplier<String> what, BooleanSupplier condition) {
        long deadlineNanos = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what.get());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}

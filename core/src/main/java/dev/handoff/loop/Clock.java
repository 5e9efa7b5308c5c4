package dev.handoff.loop;

import java.util.concurrent.TimeUnit;

/** Gives a loop its time; a test gives it by hand. */
public interface Clock {
    Clock SYSTEM =
            new Clock() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public long epochSeconds() {
                    return TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
                }
            };

    /** Monotonic nanoseconds from an arbitrary origin; only differences mean something. */
    long nanoTime();

    /** Wall-clock seconds since 1970-01-01T00:00:00Z. */
    long epochSeconds();
}

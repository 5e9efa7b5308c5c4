package dev.handoff.process;

import dev.handoff.loop.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is turned. */
public final class ManualClock implements Clock {
    /** Not 0, which some code might take for "never". */
    private final AtomicLong nanos = new AtomicLong(1_000_000_000);

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    @Override
    public long epochSeconds() {
        return nanos.get() / 1_000_000_000;
    }

    public void advance(Duration length) {
        nanos.addAndGet(length.toNanos());
    }
}

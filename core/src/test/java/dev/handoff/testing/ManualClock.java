package dev.handoff.testing;

import dev.handoff.loop.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until it is advanced. May be turned from any thread; a loop that sleeps
 * looks at it when something wakes it.
 */
public final class ManualClock implements Clock {
    /** So near to the overflow that comparing instead of subtracting goes wrong. */
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000);

    private final AtomicLong sinceStart = new AtomicLong();

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
        sinceStart.addAndGet(time.toNanos());
    }

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    /** Begins at 784111777, which is Sun, 06 Nov 1994 08:49:37 GMT. */
    @Override
    public long epochSeconds() {
        return 784_111_777 + TimeUnit.NANOSECONDS.toSeconds(sinceStart.get());
    }
}

package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.handoff.testing.ManualClock;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A loop without a thread: the test turns it, and its clock. What it caught fails the test at the
 * end, unless the test takes it. In this package for what only tests need of a loop.
 */
public final class TurnedLoop implements LoopListener, AutoCloseable {
    private static final long SHORT_WAIT_NANOS = Duration.ofMillis(5).toNanos();

    public final ManualClock clock = new ManualClock();
    public final EventLoop loop;
    private final List<Throwable> failures = new ArrayList<>();
    final List<IOException> acceptFailures = new ArrayList<>();
    private boolean closed;

    public TurnedLoop() throws IOException {
        loop = new EventLoop("turned", clock, this);
    }

    @Override
    public void onFailure(Throwable failure) {
        failures.add(failure);
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        acceptFailures.add(failure);
    }

    /** One turn that does not wait. */
    public void turn() {
        loop.turn(0);
    }

    public void advance(Duration time) {
        clock.advance(time);
        turn();
    }

    public int timerCount() {
        return loop.timerCount();
    }

    /** What was caught so far; no longer a reason to fail. */
    public List<Throwable> takeFailures() {
        List<Throwable> taken = List.copyOf(failures);
        failures.clear();
        return taken;
    }

    /** Turns until {@code condition} holds, which the world outside brings about. */
    public void turnUntil(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(
                    System.nanoTime() - start < TestLoops.PATIENCE.toNanos(), "it did not happen");
            loop.turn(SHORT_WAIT_NANOS);
        }
    }

    /** Ends the loop as its own thread would. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        loop.stop();
        loop.start();
        try {
            loop.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (!failures.isEmpty()) {
            fail("the event loop caught an exception", failures.getFirst());
        }
    }
}

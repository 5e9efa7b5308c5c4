package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A loop without a thread: the test turns it, and its clock. */
final class TurnedLoop implements LoopListener, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long SHORT_WAIT_NANOS = Duration.ofMillis(5).toNanos();

    final ManualClock clock = new ManualClock();
    final EventLoop loop;
    final List<Throwable> failures = new ArrayList<>();
    final List<IOException> acceptFailures = new ArrayList<>();
    private boolean closed;

    TurnedLoop() throws IOException {
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
    void turn() {
        loop.turn(0);
    }

    void advance(Duration time) {
        clock.advance(time);
        turn();
    }

    /** Turns until {@code condition} holds, which the world outside brings about. */
    void turnUntil(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < PATIENCE.toNanos(), "it did not happen");
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
    }
}

package dev.handoff.loop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * An event loop without a thread: the test turns it. In this package for what only tests need of a
 * loop.
 */
public final class TurnedByHand implements LoopListener, AutoCloseable {
    public final EventLoop loop;
    private final List<Throwable> failures = new ArrayList<>();

    public TurnedByHand(Clock clock) throws IOException {
        loop = new EventLoop("turned by hand", clock, this);
    }

    /** One turn, which does not wait. */
    public void turn() {
        loop.turn(0);
        if (!failures.isEmpty()) {
            throw new AssertionError("an event loop caught an exception", failures.getFirst());
        }
    }

    public int timerCount() {
        return loop.timerCount();
    }

    /** Ends the loop as its own thread would. */
    @Override
    public void close() {
        loop.stop();
        loop.start();
        try {
            loop.join();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void onFailure(Throwable failure) {
        failures.add(failure);
    }
}

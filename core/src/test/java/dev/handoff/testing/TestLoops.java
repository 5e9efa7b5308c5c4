package dev.handoff.testing;

import static org.junit.jupiter.api.Assertions.fail;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Real event loops under a manual clock. What throws on them fails the test when they close. */
public final class TestLoops implements AutoCloseable {
    /** How long a test waits for anything; it takes as long only when it fails. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    public final ManualClock clock = new ManualClock();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final EventLoops loops;

    public TestLoops(int count) throws IOException {
        LoopListener listener =
                new LoopListener() {
                    @Override
                    public void onFailure(Throwable failure) {
                        failures.add(failure);
                    }
                };
        loops = EventLoops.start("test", count, clock, listener);
    }

    public EventLoop first() {
        return loops.get(0);
    }

    public EventLoop last() {
        return loops.get(loops.count() - 1);
    }

    public EventLoops all() {
        return loops;
    }

    /** Turns the clock, and returns when every loop has run the timers that became due. */
    public void advance(Duration length) {
        clock.advance(length);
        awaitIdle();
    }

    /** Returns when every loop has ended a turn, output included, that did all there was to do. */
    public void awaitIdle() {
        for (int i = 0; i < loops.count(); i++) {
            EventLoop loop = loops.get(i);
            CompletableFuture<Void> due = new CompletableFuture<>();
            loop.execute(() -> loop.scheduleAt(clock.nanoTime(), () -> due.complete(null)));
            await(due);
            // In a turn, tasks come before timers and output: this is the end of the next turn. In
            // the middle of it, a task that comes when the clock was turned would see the old time.
            awaitEndOfTurn(loop);
        }
    }

    /** Returns when the loop has ended a turn that may have begun before this was called. */
    public static void awaitEndOfTurn(EventLoop loop) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        loop.execute(() -> loop.atEndOfTurn(() -> ended.complete(null)));
        await(ended);
    }

    public static <T> T on(EventLoop loop, Supplier<T> question) {
        return await(CompletableFuture.supplyAsync(question, loop));
    }

    public static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** What was thrown so far; no longer a reason to fail. */
    public List<Throwable> takeFailures() {
        List<Throwable> taken = List.copyOf(failures);
        failures.clear();
        return taken;
    }

    @Override
    public void close() {
        try {
            loops.stop();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        assertNoFailure();
    }

    public void assertNoFailure() {
        if (!failures.isEmpty()) {
            fail("an event loop caught an exception", failures.getFirst());
        }
    }
}

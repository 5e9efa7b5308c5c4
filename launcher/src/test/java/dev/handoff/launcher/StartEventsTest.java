package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.supervise.ProcessExit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class StartEventsTest {
    private static final long FOREVER_NANOS = TimeUnit.DAYS.toNanos(1);

    private final StartEvents events = new StartEvents();

    static List<Consumer<StartEvents>> kinds() {
        return List.of(
                events -> events.onReady("a-1"),
                events -> events.onExited("a-1", new ProcessExit(7, 1, false, List.of()), 100),
                events -> events.onStartFailed("a-1", "no such file", 100),
                StartEvents::wake);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @Timeout(20)
    void eachWakesAThreadThatWaits(Consumer<StartEvents> kind) throws InterruptedException {
        Thread waiting =
                Thread.startVirtualThread(() -> {
                    try {
                        events.await(FOREVER_NANOS);
                    } catch (InterruptedException failure) {
                        throw new AssertionError(failure);
                    }
                });
        kind.accept(events);
        waiting.join();
    }

    @Test
    void waitsNoLongerThanItMay() throws InterruptedException {
        events.wake();
        events.await(FOREVER_NANOS);
        long begun = System.nanoTime();
        events.await(1_000_000);
        assertTrue(System.nanoTime() - begun >= 1_000_000, "it did not wait");
    }
}

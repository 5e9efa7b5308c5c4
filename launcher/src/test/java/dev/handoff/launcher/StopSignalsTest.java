package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the first signal does, and what the second does in any case. */
class StopSignalsTest {
    private final CountDownLatch halted = new CountDownLatch(1);

    @Test
    void theFirstSignalIsWaitedForAndEndsNothing() {
        StopSignals signals = signals(name -> {});
        signals.came("SIGTERM");
        assertEquals("SIGTERM", signals.first().join());
        assertFalse(signals.request("POST /drain"));
        assertEquals(1, halted.getCount());
    }

    /** As when the log's reader, or a hook of the exit, hangs. */
    @Test
    void theSecondSignalEndsTheProcessAlsoIfHurryingHangs() throws InterruptedException {
        CountDownLatch hung = new CountDownLatch(1);
        StopSignals signals =
                signals(name -> {
                    hung.countDown();
                    awaitForEver();
                });
        signals.came("SIGTERM");
        Thread second = new Thread(() -> signals.came("SIGINT"));
        second.setDaemon(true);
        second.start();
        hung.await();
        assertTrue(halted.await(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS));
        second.interrupt();
    }

    private StopSignals signals(Consumer<String> hurry) {
        return new StopSignals(hurry, Duration.ZERO, halted::countDown);
    }

    private static void awaitForEver() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException testIsOver) {
            Thread.currentThread().interrupt();
        }
    }
}

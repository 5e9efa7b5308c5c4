package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimersTest {
    private final Timers timers = new Timers();
    private final List<String> ran = new ArrayList<>();

    @Test
    void givesTimersInTheOrderOfTheirDeadlines() {
        add(30, "third");
        add(10, "first");
        add(20, "second");

        runDue(100);

        assertEquals(List.of("first", "second", "third"), ran);
        assertTrue(timers.isEmpty());
    }

    @Test
    void givesATimerAtItsDeadlineAndNotBefore() {
        add(10, "it");

        assertNull(timers.pollDue(9));
        assertNotNull(timers.pollDue(10));
        assertNull(timers.pollDue(10));
    }

    @Test
    void ordersDeadlinesAcrossTheOverflowOfNanoTime() {
        add(Long.MIN_VALUE + 5, "after");
        add(Long.MAX_VALUE - 5, "before");

        runDue(Long.MAX_VALUE - 5);
        assertEquals(List.of("before"), ran);
        assertEquals(11, timers.nanosUntilNext(Long.MAX_VALUE - 5));

        runDue(Long.MIN_VALUE + 5);
        assertEquals(List.of("before", "after"), ran);
    }

    @Test
    void forgetsACancelledTimer() {
        add(10, "kept");
        Timer cancelled = add(5, "cancelled");

        cancelled.cancel();
        runDue(100);

        assertEquals(List.of("kept"), ran);
    }

    @Test
    void cancellingTwiceOrTooLateDoesNothing() {
        Timer early = add(5, "early");
        add(10, "late");
        runDue(5);

        early.cancel();
        early.cancel();
        runDue(10);

        assertEquals(List.of("early", "late"), ran);
    }

    @Test
    void agreesWithASortedModelOverRandomAddsCancelsAndPolls() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TreeMap<Long, Timer> model = new TreeMap<>();
        List<Timer> cancellable = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            // Unique, so that the model's order is the only right one.
            long deadline = random.nextInt(1_000_000) * 100_000L + i;
            switch (random.nextInt(5)) {
                case 0, 1, 2 -> {
                    Timer timer = timers.add(deadline, () -> {});
                    model.put(deadline, timer);
                    cancellable.add(timer);
                }
                case 3 -> {
                    if (!cancellable.isEmpty()) {
                        Timer timer = cancellable.remove(random.nextInt(cancellable.size()));
                        timer.cancel();
                        model.remove(timer.deadlineNanos);
                    }
                }
                default -> {
                    Timer first = model.isEmpty() ? null : model.firstEntry().getValue();
                    assertEquals(first, timers.pollDue(Long.MAX_VALUE / 2), "seed " + seed);
                    if (first != null) {
                        model.remove(first.deadlineNanos);
                    }
                }
            }
            assertEquals(model.size(), timers.size(), "seed " + seed);
        }
        for (Timer expected : model.values()) {
            assertEquals(expected, timers.pollDue(Long.MAX_VALUE / 2), "seed " + seed);
        }
        assertTrue(timers.isEmpty());
    }

    private Timer add(long deadline, String name) {
        return timers.add(deadline, () -> ran.add(name));
    }

    private void runDue(long now) {
        for (Timer due = timers.pollDue(now); due != null; due = timers.pollDue(now)) {
            due.action.run();
        }
    }
}

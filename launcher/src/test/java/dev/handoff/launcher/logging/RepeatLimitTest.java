package dev.handoff.launcher.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepeatLimitTest {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Object> passed = new ArrayList<>();
    private final List<Runnable> scheduled = new ArrayList<>();
    private long nowNanos = -5;
    private final RepeatLimit limit =
            new RepeatLimit(
                    2, passed::add, () -> nowNanos, (delayNanos, action) -> scheduled.add(action));

    @Test
    void passesOnWhatComesSlowly() {
        for (int i = 0; i < 10; i++) {
            tell("slow");
            nowNanos += SECOND_NANOS / 2;
        }
        assertEquals(10, passed.size());
        assertEquals(List.of(), scheduled);
    }

    @Test
    void tellsHowManyItHeldBackWhenTheSecondIsOver() {
        for (int i = 0; i < 44; i++) {
            tell("flood");
        }
        assertEquals(List.of("flood", "flood"), passed);
        nowNanos += SECOND_NANOS;
        runScheduled();
        assertEquals(List.of("flood", "flood", "… and 42 more like this"), passed);
    }

    @Test
    void beginsAnewAfterThat() {
        for (int i = 0; i < 3; i++) {
            tell("flood");
        }
        nowNanos += SECOND_NANOS;
        runScheduled();
        tell("again");
        assertEquals("again", passed.getLast());
        assertEquals(4, passed.size());
    }

    private void tell(String message) {
        limit.tell(() -> message);
    }

    private void runScheduled() {
        List<Runnable> due = List.copyOf(scheduled);
        scheduled.clear();
        due.forEach(Runnable::run);
    }
}

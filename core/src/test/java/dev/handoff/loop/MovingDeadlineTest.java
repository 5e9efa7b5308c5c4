package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MovingDeadlineTest {
    private final TurnedLoop turned;
    private final MovingDeadline deadline;
    private int passed;

    MovingDeadlineTest() throws IOException {
        turned = new TurnedLoop();
        deadline = new MovingDeadline(turned.loop, () -> passed++);
    }

    @AfterEach
    void closeLoop() {
        turned.close();
    }

    @Test
    void passesOnce() {
        setAfterMillis(10);

        expectPassedAfterMillis(9, 0);
        expectPassedAfterMillis(1, 1);
        expectPassedAfterMillis(100, 1);
    }

    @Test
    void movesLater() {
        setAfterMillis(10);
        expectPassedAfterMillis(8, 0);
        setAfterMillis(10);

        expectPassedAfterMillis(9, 0);
        expectPassedAfterMillis(1, 1);
    }

    @Test
    void movesEarlier() {
        setAfterMillis(1000);
        setAfterMillis(10);

        expectPassedAfterMillis(9, 0);
        expectPassedAfterMillis(1, 1);
        expectPassedAfterMillis(1000, 1);
    }

    @Test
    void movesEarlierAfterItMovedLater() {
        setAfterMillis(10);
        setAfterMillis(1000);
        expectPassedAfterMillis(10, 0);
        setAfterMillis(20);

        expectPassedAfterMillis(19, 0);
        expectPassedAfterMillis(1, 1);
        expectPassedAfterMillis(1000, 1);
    }

    @Test
    void doesNotPassWhenCleared() {
        setAfterMillis(10);
        deadline.clear();

        expectPassedAfterMillis(100, 0);
    }

    @Test
    void canBeSetAgainAfterBeingCleared() {
        setAfterMillis(10);
        deadline.clear();
        setAfterMillis(20);

        expectPassedAfterMillis(19, 0);
        expectPassedAfterMillis(1, 1);
    }

    @Test
    void canBeSetAgainByItsOwnAction() {
        int[] times = {0};
        MovingDeadline[] repeating = new MovingDeadline[1];
        repeating[0] =
                new MovingDeadline(
                        turned.loop,
                        () -> {
                            times[0]++;
                            repeating[0].set(turned.loop.nanoTime() + millis(10));
                        });
        repeating[0].set(turned.loop.nanoTime() + millis(10));

        turned.advance(Duration.ofMillis(10));
        turned.advance(Duration.ofMillis(9));
        assertEquals(1, times[0]);
        turned.advance(Duration.ofMillis(1));
        assertEquals(2, times[0]);
    }

    @Test
    void leavesNoTimerWhenCancelled() {
        setAfterMillis(10);
        deadline.cancel();

        expectPassedAfterMillis(100, 0);
        assertEquals(0, turned.loop.timerCount());
    }

    @Test
    void movingLaterDoesNotTouchTheHeap() {
        for (int i = 0; i < 100; i++) {
            setAfterMillis(10 + i);
        }

        assertEquals(1, turned.loop.timerCount());
    }

    private void setAfterMillis(long delay) {
        deadline.set(turned.loop.nanoTime() + millis(delay));
    }

    private void expectPassedAfterMillis(long time, int times) {
        turned.advance(Duration.ofMillis(time));
        assertEquals(times, passed);
    }

    private static long millis(long count) {
        return Duration.ofMillis(count).toNanos();
    }
}

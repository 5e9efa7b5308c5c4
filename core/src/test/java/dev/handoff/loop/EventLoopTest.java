package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopTest {
    private final RuntimeException bug = new IllegalArgumentException("on purpose");

    private final TurnedLoop turned;
    private final EventLoop loop;
    private final List<String> ran = new ArrayList<>();

    EventLoopTest() throws IOException {
        turned = new TurnedLoop();
        loop = turned.loop;
    }

    @AfterEach
    void closeLoop() {
        turned.close();
    }

    @Test
    void runsTasksInTheOrderTheyWereGiven() {
        loop.execute(() -> ran.add("first"));
        loop.execute(() -> ran.add("second"));

        turned.turn();

        assertEquals(List.of("first", "second"), ran);
    }

    @Test
    void runsTimersInOrderOnceTheyAreDue() {
        loop.scheduleAfter(20, () -> ran.add("second"));
        loop.scheduleAfter(10, () -> ran.add("first"));
        loop.scheduleAfter(30, () -> ran.add("cancelled")).cancel();

        turned.turn();
        assertEquals(List.of(), ran);
        turned.advance(Duration.ofNanos(30));

        assertEquals(List.of("first", "second"), ran);
    }

    @Test
    void readsTheTimeOnceATurn() {
        turned.turn();
        long before = loop.nanoTime();
        turned.clock.advance(Duration.ofSeconds(1));

        assertEquals(before, loop.nanoTime());
        turned.turn();
        assertEquals(before + Duration.ofSeconds(1).toNanos(), loop.nanoTime());
    }

    @Test
    void runsEndOfTurnActionsOnceAfterTasksAndTimers() {
        loop.scheduleAfter(0, () -> ran.add("timer"));
        loop.execute(() -> loop.atEndOfTurn(() -> ran.add("end")));
        loop.execute(() -> ran.add("task"));

        turned.turn();
        turned.turn();

        assertEquals(List.of("task", "timer", "end"), ran);
    }

    @Test
    void runsEndOfTurnActionsThatEndOfTurnActionsAdd() {
        loop.atEndOfTurn(() -> loop.atEndOfTurn(() -> ran.add("added")));

        turned.turn();

        assertEquals(List.of("added"), ran);
    }

    @Test
    void goesOnAfterATaskATimerOrAnEndOfTurnActionThrew() {
        loop.execute(this::fail);
        loop.execute(() -> ran.add("task"));
        loop.scheduleAfter(0, this::fail);
        loop.scheduleAfter(0, () -> ran.add("timer"));
        loop.atEndOfTurn(this::fail);
        loop.atEndOfTurn(() -> ran.add("end"));

        turned.turn();

        assertEquals(List.of("task", "timer", "end"), ran);
        assertEquals(List.of(bug, bug, bug), turned.takeFailures());
    }

    @Test
    void goesOnAfterItsListenerThrew() throws IOException, InterruptedException {
        AtomicReference<Throwable> lastResort = new AtomicReference<>();
        LoopListener throwing =
                new LoopListener() {
                    @Override
                    public void onFailure(Throwable failure) {
                        throw new IllegalStateException("the listener's own", failure);
                    }
                };
        EventLoop started = new EventLoop("started", turned.clock, throwing);
        CountDownLatch after = new CountDownLatch(1);
        started.execute(() ->
                Thread.currentThread().setUncaughtExceptionHandler((on, e) -> lastResort.set(e)));
        started.execute(this::fail);
        started.execute(after::countDown);
        started.start();

        assertTrue(after.await(60, TimeUnit.SECONDS));
        started.stop();
        started.join();
        assertEquals(bug, lastResort.get().getCause());
    }

    @Test
    void tellsOfEachTurnHowLongItWaitedAndWorked() throws IOException {
        Iterator<Long> readings = List.of(0L, 100L, 107L, 120L, 200L).iterator();
        List<String> turns = new ArrayList<>();
        LoopListener listener =
                new LoopListener() {
                    @Override
                    public void onTurn(long waitedNanos, long workedNanos) {
                        turns.add(waitedNanos + " " + workedNanos);
                    }
                };
        EventLoop timed = new EventLoop("timed", reading(readings), listener);
        timed.turn(0);
        assertEquals(List.of(), turns);
        timed.turn(0);
        assertEquals(List.of("7 13"), turns);
        timed.stop();
    }

    @Test
    void goesOnAfterItsListenerThrewAtATurn() throws IOException {
        List<Throwable> told = new ArrayList<>();
        LoopListener throwing =
                new LoopListener() {
                    @Override
                    public void onTurn(long waitedNanos, long workedNanos) {
                        throw bug;
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        told.add(failure);
                    }
                };
        EventLoop throwingLoop = new EventLoop("throwing", turned.clock, throwing);
        throwingLoop.turn(0);
        throwingLoop.execute(() -> ran.add("after"));
        throwingLoop.turn(0);
        assertEquals(List.of(bug), told);
        assertEquals(List.of("after"), ran);
    }

    private static Clock reading(Iterator<Long> readings) {
        return new Clock() {
            @Override
            public long nanoTime() {
                return readings.next();
            }

            @Override
            public long epochSeconds() {
                return 0;
            }
        };
    }

    @Test
    void tasksThatBegetTasksDoNotKeepTimersWaiting() {
        Runnable[] endless = new Runnable[1];
        endless[0] =
                () -> {
                    if (ran.isEmpty()) {
                        loop.execute(endless[0]);
                    }
                };
        loop.execute(endless[0]);
        loop.scheduleAfter(0, () -> ran.add("timer"));

        turned.turn();

        assertEquals(List.of("timer"), ran);
    }

    @Test
    void aTaskFromAnotherThreadWakesASleepingLoop() throws IOException, InterruptedException {
        EventLoop started = new EventLoop("started", Clock.SYSTEM, turned);
        started.start();
        // Many rounds, for the moment between looking for tasks and falling asleep is short.
        for (int i = 0; i < 2_000; i++) {
            CountDownLatch done = new CountDownLatch(1);
            started.execute(done::countDown);
            assertTrue(done.await(60, TimeUnit.SECONDS), "round " + i);
        }
        started.stop();
        started.join();
    }

    @Test
    void tasksForAWakeLoopDoNotWakeItAgain() throws InterruptedException {
        AtomicInteger count = new AtomicInteger();
        Thread giver =
                Thread.ofPlatform()
                        .unstarted(() -> {
                            for (int i = 0; i < 1_000; i++) {
                                loop.execute(count::incrementAndGet);
                            }
                        });
        loop.execute(() -> {
            giver.start();
            joinUninterrupted(giver);
        });

        turned.turn();
        assertEquals(1_000, count.get());
        long start = System.nanoTime();
        loop.turn(TimeUnit.MILLISECONDS.toNanos(50));
        long waited = System.nanoTime() - start;

        assertTrue(waited >= TimeUnit.MILLISECONDS.toNanos(40), "woken after " + waited + " ns");
    }

    @Test
    void runsATaskAtOnceOnItsOwnThreadOnly() throws IOException, InterruptedException {
        EventLoop started = new EventLoop("started", Clock.SYSTEM, turned);
        CountDownLatch done = new CountDownLatch(1);
        List<String> order = new ArrayList<>();
        started.run(() -> {
            started.run(() -> order.add("inner"));
            order.add("outer");
            done.countDown();
        });
        assertFalse(started.inLoop());
        assertEquals(List.of(), order);
        started.start();

        assertTrue(done.await(60, TimeUnit.SECONDS));
        assertEquals(List.of("inner", "outer"), order);
        started.stop();
        started.join();
    }

    @Test
    void loopsOfAGroupStartAndStopTogether() throws IOException, InterruptedException {
        EventLoops loops = EventLoops.start("group", 3, Clock.SYSTEM, turned);
        CountDownLatch all = new CountDownLatch(3);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < loops.count(); i++) {
            names.add(loops.get(i).name());
            loops.get(i).execute(all::countDown);
        }

        assertTrue(all.await(60, TimeUnit.SECONDS));
        assertEquals(List.of("group-0", "group-1", "group-2"), names);
        loops.stop();
        assertFalse(loops.get(0).inLoop());
    }

    private void fail() {
        throw bug;
    }

    private static void joinUninterrupted(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task that is given to a loop runs, or the one who gives it hears that it does not. */
class StoppedLoopTest {
    private final TurnedLoop turned;
    private final EventLoop loop;
    private final List<String> ran = new ArrayList<>();

    StoppedLoopTest() throws IOException {
        turned = new TurnedLoop();
        loop = turned.loop;
    }

    @AfterEach
    void closeLoop() {
        turned.close();
        assertEquals(List.of(), turned.takeFailures());
    }

    @Test
    void refusesTasks() {
        turned.close();

        assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> ran.add("task")));
        assertThrows(RejectedExecutionException.class, () -> loop.run(() -> ran.add("run")));
        assertFalse(loop.tryExecute(() -> ran.add("tried")));
        assertFalse(loop.tryRun(() -> ran.add("tried to run")));
        assertEquals(List.of(), ran);
    }

    @Test
    void runsTheTasksThatItWasGivenBeforeAndThoseThatTheyGive() {
        loop.execute(() -> {
            ran.add("task");
            loop.execute(() -> ran.add("next"));
        });
        turned.close();

        assertEquals(List.of("task", "next"), ran);
    }

    @Test
    void runsWhatItsLastTasksWantAtTheEndOfATurn() {
        loop.execute(() -> loop.atEndOfTurn(() -> ran.add("end")));
        turned.close();

        assertEquals(List.of("end"), ran);
    }

    @Test
    void answersAQuestionOnItsThread() throws Exception {
        CompletableFuture<Thread> asked = loop.ask(Thread::currentThread);
        turned.turn();

        assertEquals(Thread.currentThread(), asked.get());
    }

    @Test
    void failsAQuestionThatItCannotAnswer() {
        CompletableFuture<String> bug =
                loop.ask(() -> {
                    throw new IllegalArgumentException("on purpose");
                });
        turned.turn();
        assertCause(IllegalArgumentException.class, bug);

        turned.close();
        assertCause(RejectedExecutionException.class, loop.ask(() -> "nobody hears"));
    }

    @Test
    void aTaskThatComesWhileItStopsRunsOrIsRefused() throws IOException, InterruptedException {
        for (int round = 0; round < 50; round++) {
            EventLoop stopping = new EventLoop("stopping", turned.clock, turned);
            stopping.start();
            AtomicInteger done = new AtomicInteger();
            AtomicInteger taken = new AtomicInteger();
            Thread giver =
                    Thread.startVirtualThread(() -> {
                        while (stopping.tryExecute(done::incrementAndGet)) {
                            taken.incrementAndGet();
                        }
                    });
            while (taken.get() == 0) {
                Thread.onSpinWait();
            }
            stopping.stop();
            giver.join();
            stopping.join();
            assertEquals(taken.get(), done.get());
        }
    }

    private static void assertCause(Class<? extends Throwable> type, CompletableFuture<?> failed) {
        assertTrue(failed.isDone());
        ExecutionException failure = assertThrows(ExecutionException.class, failed::get);
        assertInstanceOf(type, failure.getCause());
    }
}

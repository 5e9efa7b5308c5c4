package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestWorker;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More processes, and fewer, while the pool serves. */
final class ScalingTest extends SupervisedPool {

    @Test
    void moreProcessesAreThereWhenTheyTakeRequests() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker first = workers.join("default-1")) {
            CompletableFuture<PoolChange> scaled = pool.pool.scale(3);
            StartedWorkers.Started third = workers.await("default-3");
            try (TestWorker second = workers.join("default-2")) {
                pool.loops.awaitIdle();
                assertFalse(scaled.isDone());
                try (TestWorker last = workers.join(third)) {
                    assertDone(2, scaled);
                    assertEquals(3, pool.snapshot().workers().size());
                    assertFalse(first.hasMessage() || second.hasMessage() || last.hasMessage());
                }
            }
        }
        assertEquals(new PoolEvent.Scaled(1, 3), pool.events.await(PoolEvent.Scaled.class));
    }

    @Test
    void aProcessTooManyFinishesWhatItHolds() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2);
        try (TestWorker first = workers.join(workers.await("default-1"), 1);
                TestWorker second = workers.join(workers.await("default-2"), 1)) {
            TestExchange one = pool.get("/one");
            TestExchange two = pool.get("/two");
            Message.Request held = second.request();
            CompletableFuture<PoolChange> scaled = pool.pool.scale(1);
            second.expect(Message.Drain.class);
            pool.advance(ProcessRun.LEAVE_GRACE.plus(ProcessRun.TERM_GRACE).multipliedBy(2));
            assertFalse(scaled.isDone());

            second.answer(held, "held");
            first.answerNext("held");
            one.assertResponse("held");
            two.assertResponse("held");
            second.die();
            pool.events.await(PoolEvent.Left.class);
            pool.advance(ProcessRun.LEAVE_GRACE);
            assertEquals(-1, workers.awaitExit("default-2").restartMillis());
            assertDone(1, scaled);
            assertFalse(first.hasMessage());
        }
    }

    @Test
    void thoseThatDoNotServeGoFirst() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2);
        workers.await("default-1");
        try (TestWorker second = workers.join("default-2")) {
            CompletableFuture<PoolChange> scaled = pool.pool.scale(1);
            workers.awaitExit("default-1");
            assertDone(1, scaled);
            assertFalse(second.hasMessage());
        }
    }

    @Test
    void aProcessThatCannotStartIsToldAndTriedAgain() throws IOException {
        superviseScript(StartedWorkers.TELLS_TOKEN, 1);
        try (TestWorker first = workers.join("default-1")) {
            writeScript("echo broken >&2; exit 1");
            PoolChange.Failed failed = assertFailed(pool.pool.scale(2));
            assertEquals(List.of("broken"), failed.error().lastStderr());
            assertEquals("waiting", pool.snapshot().workers().getLast().state());
            writeScript(StartedWorkers.TELLS_TOKEN);
            pool.advance(Duration.ofNanos(BackOff.FIRST_NANOS));
            try (TestWorker second = workers.join("default-2")) {
                assertFalse(first.hasMessage() || second.hasMessage());
            }
        }
    }

    @Test
    void aPlaceThatIsBeingReloadedMayGo() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2);
        try (TestWorker first = workers.join("default-1");
                TestWorker second = workers.join("default-2")) {
            CompletableFuture<PoolChange> reloaded = pool.pool.reload();
            try (TestWorker third = workers.join("default-3")) {
                workers.leave("default-1", first);
                workers.await("default-4");
                CompletableFuture<PoolChange> scaled = pool.pool.scale(1);
                workers.leave("default-2", second);
                assertDone(1, scaled);
                assertDone(1, reloaded);
                workers.awaitExit("default-4");
                assertFalse(third.hasMessage());
            }
        }
    }

    @Test
    void theSameNumberIsNoChange() {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2);
        assertDone(0, pool.pool.scale(2));
        assertEquals(List.of(), pool.events.heard(PoolEvent.Scaled.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, WorkerPool.MOST_PROCESSES + 1})
    void aNumberBeyondTheLimitsIsRefused(int count) {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        assertRefused(pool.pool.scale(count));
    }

    @Test
    void nothingIsLostUnderLoad() {
        pool.supervise(Processes.python("good"), 2);
        int asked = 0;
        for (int count : new int[] {4, 1, 3, 2}) {
            CompletableFuture<PoolChange> scaled = pool.pool.scale(count);
            while (!scaled.isDone()) {
                pool.get("/").assertResponse("good");
                asked++;
            }
            assertInstanceOf(PoolChange.Done.class, TestLoops.await(scaled));
        }
        assertEquals(2, pool.snapshot().workers().size());
        System.out.println("measured: requests while scaling " + asked);
    }
}

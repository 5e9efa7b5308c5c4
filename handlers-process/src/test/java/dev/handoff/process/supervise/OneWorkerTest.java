package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestWorker;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What an operator can do to one worker. */
final class OneWorkerTest extends SupervisedPool {

    @Test
    void aDrainedProcessFinishesWhatItHoldsWhenItsSuccessorIsThere() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            TestExchange held = pool.get("/held");
            Message.Request request = old.request();
            CompletableFuture<PoolChange> drained = pool.pool.drainWorker("default-1");
            StartedWorkers.Started started = workers.await("default-2");
            assertFalse(drained.isDone());
            assertFalse(old.hasMessage());
            try (TestWorker successor = workers.join(started)) {
                assertEquals(
                        new PoolEvent.Replaced("default-1", "default-2", ReplaceCause.DRAIN),
                        pool.events.await(PoolEvent.Replaced.class));
                TestExchange next = pool.get("/next");
                successor.answerNext("next");
                next.assertResponse("next");
                assertFalse(drained.isDone(), "it holds a request");
                old.expect(Message.Drain.class);
                old.answer(request, "held");
                held.assertResponse("held");
                workers.end("default-1", old);
                assertDone(1, drained);
            }
        }
    }

    @Test
    void whoAsksTwiceToDrainAProcessGetsOneSuccessor() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> first = pool.pool.drainWorker("default-1");
            CompletableFuture<PoolChange> second = pool.pool.drainWorker("default-1");
            try (TestWorker successor = workers.join("default-2")) {
                pool.events.await(PoolEvent.Replaced.class);
                assertRefused("default-1 is draining already", pool.pool.drainWorker("default-1"));
                workers.leave("default-1", old);
                assertDone(1, first);
                assertDone(1, second);
                assertFalse(successor.hasMessage());
            }
        }
        assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
    }

    @Test
    void aProcessThatIsToBeDrainedGoesBeforeTheRestOfAReload() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 3);
        try (TestWorker first = workers.join("default-1");
                TestWorker second = workers.join("default-2");
                TestWorker third = workers.join("default-3")) {
            CompletableFuture<PoolChange> reload = pool.pool.reload();
            StartedWorkers.Started fourth = workers.await("default-4");
            CompletableFuture<PoolChange> drained = pool.pool.drainWorker("default-3");
            try (TestWorker ofReload = workers.join(fourth);
                    TestWorker ofDrain = workers.join("default-5")) {
                workers.leave("default-3", third);
                assertDone(1, drained);
                first.expect(Message.Drain.class);
                assertFalse(second.hasMessage());
                assertFalse(reload.isDone());
                assertFalse(ofReload.hasMessage());
                assertFalse(ofDrain.hasMessage());
            }
        }
    }

    @Test
    void aProcessWhoseSuccessorDoesNotStartGoesOn() throws IOException {
        superviseScript(StartedWorkers.TELLS_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            writeScript("exit 1");
            assertFailed(pool.pool.drainWorker("default-1"));
            TestExchange exchange = pool.get("/");
            old.answerNext("still here");
            exchange.assertResponse("still here");
        }
    }

    @Test
    void aDrainThatWaitsEndsWithThePool() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> drained = pool.pool.drainWorker("default-1");
            workers.await("default-2");
            var _ = pool.pool.drain();
            assertRefused("the pool is draining", drained);
            old.expect(Message.Drain.class);
        }
    }

    @Test
    void aProcessThatIsScaledAwayMeanwhileIsDrained() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2);
        try (TestWorker first = workers.join("default-1");
                TestWorker second = workers.join("default-2")) {
            CompletableFuture<PoolChange> drained = pool.pool.drainWorker("default-2");
            workers.await("default-3");
            CompletableFuture<PoolChange> scaled = pool.pool.scale(1);
            pool.snapshot();
            assertFalse(drained.isDone());
            workers.leave("default-2", second);
            assertDone(1, drained);
            assertDone(1, scaled);
            assertFalse(first.hasMessage());
        }
    }

    @Test
    void aWorkerThatCameByItselfIsDrainedWhenItHasAnsweredAndLeft() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange held = pool.get("/held");
            Message.Request request = worker.request();
            CompletableFuture<PoolChange> drained = pool.pool.drainWorker("default-external-1");
            worker.expect(Message.Drain.class);
            pool.snapshot();
            assertFalse(drained.isDone(), "it holds a request");
            worker.answer(request, "held");
            held.assertResponse("held");
            worker.die();
            assertDone(1, drained);
        }
    }

    @Test
    void aWorkerThatDoesNotLeaveWhenItIsDrainedIsClosed() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            CompletableFuture<PoolChange> drained = pool.pool.drainWorker("default-external-1");
            worker.expect(Message.Drain.class);
            pool.snapshot();
            assertFalse(drained.isDone(), "it is connected");
            pool.advance(PoolLimits.DEFAULT.cancelGrace());
            assertDone(1, drained);
        }
    }

    @Test
    void aKilledProcessLosesWhatItHoldsAndIsStartedAgain() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = workers.join("default-1")) {
            TestExchange held = pool.get("/held");
            worker.request();
            assertDone(1, pool.pool.killWorker("default-1"));
            assertEquals(502, held.failure().status());
            assertEquals(
                    new PoolEvent.Left("default-1", LeaveReason.KILLED, 1),
                    pool.events.await(PoolEvent.Left.class));
        }
        assertEquals("signal 9", workers.awaitExit("default-1").exit().describe());
        pool.await(snapshot -> snapshot.workers().getFirst().restarts() == 1);
        assertEquals(
                "default-1: killed on demand", pool.snapshot().workers().getFirst().lastError());
    }

    @Test
    void aKilledProcessIsNoCrashThatHoldsUpTheNext() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        for (int i = 0; i < 3; i++) {
            try (TestWorker worker = workers.join("default-1")) {
                assertDone(1, pool.pool.killWorker("default-1"));
                assertFalse(worker.hasMessage());
            }
            workers.awaitExit("default-1");
        }
    }

    @Test
    void aProcessThatHasNotJoinedCanBeKilled() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        workers.await("default-1");
        assertRefused("default-1 has no process at the moment", pool.pool.drainWorker("default-1"));
        assertDone(1, pool.pool.killWorker("default-1"));
        assertEquals("signal 9", workers.awaitExit("default-1").exit().describe());
        assertEquals(
                List.of(new PoolEvent.KilledBeforeItJoined("default-1")),
                pool.events.heard(PoolEvent.KilledBeforeItJoined.class));
        assertEquals(List.of(), pool.events.heard(PoolEvent.NeverJoined.class));
        assertRefused("default-1 has no process at the moment", pool.pool.killWorker("default-1"));
    }

    @Test
    void aKilledWorkerThatCameByItselfLosesItsConnection() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange held = pool.get("/held");
            worker.request();
            assertDone(1, pool.pool.killWorker("default-external-1"));
            assertEquals(502, held.failure().status());
            assertEquals(
                    new PoolChange.Unknown(),
                    TestLoops.await(pool.pool.killWorker("default-external-1")));
        }
    }

    @Test
    void whatIsNotThereIsUnknown() {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        assertEquals(new PoolChange.Unknown(), TestLoops.await(pool.pool.drainWorker("default-2")));
        assertEquals(new PoolChange.Unknown(), TestLoops.await(pool.pool.killWorker("default-2")));
    }
}

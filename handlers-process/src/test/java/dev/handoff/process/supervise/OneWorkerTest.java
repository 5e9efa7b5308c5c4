package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator can do to one worker. */
@Tag("processes")
final class OneWorkerTest {
    @TempDir private Path folder;
    private TestPool pool;
    private StartedWorkers workers;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
        workers = new StartedWorkers(pool);
    }

    @AfterEach
    void stop() throws IOException {
        pool.close();
    }

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
                successor.answer(successor.request(), "next");
                assertEquals("next", next.response().body().toUtf8());
                assertFalse(drained.isDone(), "it holds a request");
                old.expect(Message.Drain.class);
                old.answer(request, "held");
                assertEquals("held", held.response().body().toUtf8());
                workers.end("default-1", old);
                assertEquals(new PoolChange.Done(1), TestLoops.await(drained));
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
                assertEquals(
                        new PoolChange.Refused("default-1 is draining already"),
                        TestLoops.await(pool.pool.drainWorker("default-1")));
                workers.leave("default-1", old);
                assertEquals(new PoolChange.Done(1), TestLoops.await(first));
                assertEquals(new PoolChange.Done(1), TestLoops.await(second));
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
                assertEquals(new PoolChange.Done(1), TestLoops.await(drained));
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
        Path script = folder.resolve("handler.sh");
        Files.writeString(script, "echo $HANDOFF_TOKEN; exec sleep 1000");
        pool.supervise(List.of("sh", script.toString()), 1);
        try (TestWorker old = workers.join("default-1")) {
            Files.writeString(script, "exit 1");
            PoolChange outcome = TestLoops.await(pool.pool.drainWorker("default-1"));
            assertInstanceOf(PoolChange.Failed.class, outcome);
            TestExchange exchange = pool.get("/");
            old.answer(old.request(), "still here");
            assertEquals("still here", exchange.response().body().toUtf8());
        }
    }

    @Test
    void aDrainThatWaitsEndsWithThePool() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> drained = pool.pool.drainWorker("default-1");
            workers.await("default-2");
            var _ = pool.pool.drain();
            assertEquals(new PoolChange.Refused("the pool is draining"), TestLoops.await(drained));
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
            assertEquals(new PoolChange.Done(1), TestLoops.await(drained));
            assertEquals(new PoolChange.Done(1), TestLoops.await(scaled));
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
            assertEquals("held", held.response().body().toUtf8());
            worker.die();
            assertEquals(new PoolChange.Done(1), TestLoops.await(drained));
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
            assertEquals(new PoolChange.Done(1), TestLoops.await(drained));
        }
    }

    @Test
    void aKilledProcessLosesWhatItHoldsAndIsStartedAgain() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = workers.join("default-1")) {
            TestExchange held = pool.get("/held");
            worker.request();
            assertEquals(
                    new PoolChange.Done(1), TestLoops.await(pool.pool.killWorker("default-1")));
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
    void aProcessThatHasNotJoinedCanBeKilled() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        workers.await("default-1");
        assertEquals(
                new PoolChange.Refused("default-1 has no process at the moment"),
                TestLoops.await(pool.pool.drainWorker("default-1")));
        assertEquals(new PoolChange.Done(1), TestLoops.await(pool.pool.killWorker("default-1")));
        assertEquals("signal 9", workers.awaitExit("default-1").exit().describe());
        assertEquals(
                List.of(new PoolEvent.KilledBeforeItJoined("default-1")),
                pool.events.heard(PoolEvent.KilledBeforeItJoined.class));
        assertEquals(List.of(), pool.events.heard(PoolEvent.NeverJoined.class));
        assertEquals(
                new PoolChange.Refused("default-1 has no process at the moment"),
                TestLoops.await(pool.pool.killWorker("default-1")));
    }

    @Test
    void aKilledWorkerThatCameByItselfLosesItsConnection() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange held = pool.get("/held");
            worker.request();
            assertEquals(
                    new PoolChange.Done(1),
                    TestLoops.await(pool.pool.killWorker("default-external-1")));
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

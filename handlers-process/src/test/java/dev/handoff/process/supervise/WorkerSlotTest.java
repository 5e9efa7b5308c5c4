package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestWorker;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.WholeMessages;
import dev.handoff.server.Abandonment;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A process and its connection end in every order. The process only tells its token, with which the
 * test connects in its stead.
 */
final class WorkerSlotTest extends SupervisedPool {
    private static final List<String> IGNORES_TERM =
            Processes.shell("trap '' TERM; echo $HANDOFF_TOKEN; while :; do sleep 1000; done");
    private static final Duration FIRST_BACK_OFF = Duration.ofNanos(BackOff.FIRST_NANOS);

    private long pid;

    @Test
    void aTokenIsGoodForOneHello() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        String token = token();
        try (TestWorker worker = join(token);
                TestWorker second = TestWorker.connect(pool.path)) {
            second.send(TestWorker.hello(1, "default", token, 1));
            assertRefused("bad_token", second);
            assertFalse(worker.hasMessage());
        }
    }

    /** The process is often quicker than the news of its start. */
    @Test
    void aWorkerThatIsThereBeforeItsStartIsToldHasTheIdThatItTells() throws IOException {
        StarterThatWaits starter = new StarterThatWaits();
        pool.supervise(StartedWorkers.TELL_TOKEN, starter);
        Message.Hello hello =
                WholeMessages.hello(
                        1,
                        "default",
                        starter.token(),
                        "w",
                        4711,
                        null,
                        null,
                        null,
                        1,
                        List.of(),
                        0);
        try (TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(hello);
            worker.expect(Message.Welcome.class);
            assertEquals(4711, pool.events.await(PoolEvent.Joined.class).pid());
            starter.goOn();
            long started = pool.events.await(PoolEvent.Started.class).pid();
            pool.await(snapshot -> snapshot.workers().getFirst().pid() == started);
        }
    }

    @Test
    void theTokenOfAProcessThatEndedIsWorthNothing() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        String token = token();
        Processes.kill(pid);
        awaitExit();
        try (TestWorker late = TestWorker.connect(pool.path)) {
            late.send(TestWorker.hello(1, "default", token, 1));
            assertRefused("bad_token", late);
        }
    }

    @Test
    void aProcessThatSaysNoHelloInTimeIsEnded() {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        token();
        pool.advance(ProcessRun.START_TIMEOUT);
        assertEquals(Processes.TERMINATED, awaitExit().exit().code());
    }

    @Test
    void aProcessThatDoesNotOpenItsWindowInTimeIsEnded() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(TestWorker.hello(0, "default", token(), 1));
            worker.expect(Message.Welcome.class);
            pool.advance(ProcessRun.START_TIMEOUT);
            assertEquals(Processes.KILLED, awaitExit().exit().code());
        }
    }

    @Test
    void aProcessThatOpensItsWindowLaterStays() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(TestWorker.hello(0, "default", token(), 1));
            worker.expect(Message.Welcome.class);
            pool.advance(ProcessRun.START_TIMEOUT.minusNanos(1));
            assertEquals(List.of(), pool.events.heard(PoolEvent.Ready.class));
            worker.send(new Message.Capacity(1));
            assertEquals("default-1", pool.events.await(PoolEvent.Ready.class).worker());
            pool.await(snapshot -> snapshot.concurrency() == 1);
            pool.advance(ProcessRun.START_TIMEOUT);
            assertTrue(Processes.isRunning(pid));
        }
    }

    @Test
    void aProcessWhoseConnectionEndedIsEnded() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        join(token()).die();
        pool.events.await(PoolEvent.Left.class);
        pool.advance(ProcessRun.LEAVE_GRACE.minusNanos(1));
        assertTrue(Processes.isRunning(pid));
        pool.advance(Duration.ofNanos(1));
        PoolEvent.Exited exited = awaitExit();
        assertEquals(Processes.TERMINATED, exited.exit().code());
        assertFalse(exited.exit().expected());
    }

    @Test
    void theLastResponsesOfAProcessThatEndedAreRead() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = join(token())) {
            TestExchange exchange = pool.get("/");
            Message.Request request = worker.request();
            kill();
            worker.answer(request, "last words");
            exchange.assertResponse("last words");
        }
        assertEquals(LeaveReason.CLOSED, pool.events.await(PoolEvent.Left.class).reason());
        assertEquals(Processes.KILLED, awaitExit().exit().code());
    }

    @Test
    void aConnectionThatOutlivesItsProcessIsClosed() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker orphan = join(token())) {
            TestExchange lost = pool.get("/");
            orphan.request();
            kill();
            // The grace begins when the pool hears of the end, which is some time after it.
            while (!lost.isAnswered()) {
                assertEquals(List.of(), pool.events.heard(PoolEvent.Exited.class));
                pool.advance(ProcessRun.LEAVE_GRACE);
            }
            lost.assertFailed(502, "worker_lost");
            assertTrue(orphan.remaining().isEmpty());
        }
        awaitExit();

        // And no timer of the first process is left that would end the second.
        pool.advance(FIRST_BACK_OFF);
        try (TestWorker second = join(token())) {
            pool.advance(ProcessRun.LEAVE_GRACE);
            pool.advance(ProcessRun.TERM_GRACE);
            TestExchange exchange = pool.get("/");
            second.answerNext("second");
            exchange.assertResponse("second");
            assertEquals(List.of(), pool.events.heard(PoolEvent.Exited.class));
        }
    }

    @Test
    void aStuckWorkerIsKilledAndReplaced() throws IOException {
        pool.supervise(IGNORES_TERM, 1);
        try (TestWorker stuck = join(token())) {
            TestExchange exchange = pool.get("/");
            stuck.request();
            exchange.abandon(Abandonment.DEADLINE);
            pool.loops.awaitIdle();
            pool.advance(PoolLimits.DEFAULT.cancelGrace());
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
            assertEquals(Processes.KILLED, awaitExit().exit().code());
        }
        pool.advance(FIRST_BACK_OFF);
        join(token()).die();
    }

    @Test
    void aDrainWaitsForRequestsHoweverLongTheyTake() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = join(token())) {
            TestExchange exchange = pool.get("/");
            Message.Request request = worker.request();
            CompletableFuture<Void> drained = pool.pool.drain();
            worker.expect(Message.Drain.class);
            pool.advance(ProcessRun.LEAVE_GRACE.plus(ProcessRun.TERM_GRACE).multipliedBy(2));
            assertTrue(Processes.isRunning(pid));

            worker.answer(request, "at last");
            exchange.assertResponse("at last");
            assertTrue(worker.remaining().isEmpty());
            worker.die();
            pool.events.await(PoolEvent.Left.class);
            assertFalse(drained.isDone());
            pool.advance(ProcessRun.LEAVE_GRACE);
            PoolEvent.Exited exited = awaitExit();
            assertTrue(exited.exit().expected());
            assertEquals(-1, exited.restartMillis());
            TestLoops.await(drained);
        }
    }

    @Test
    void whoDoesNotGoIsToldAndThenKilled() throws IOException {
        pool.supervise(IGNORES_TERM, 1);
        join(token()).die();
        pool.events.await(PoolEvent.Left.class);
        CompletableFuture<Void> drained = pool.pool.drain();
        pool.advance(ProcessRun.LEAVE_GRACE);
        pool.advance(ProcessRun.TERM_GRACE.minusNanos(1));
        assertTrue(Processes.isRunning(pid));
        assertFalse(drained.isDone());
        pool.advance(Duration.ofNanos(1));
        assertEquals(Processes.KILLED, awaitExit().exit().code());
        TestLoops.await(drained);
    }

    @Test
    void aProcessThatHasNotJoinedIsEndedWithoutAGrace() {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        token();
        CompletableFuture<Void> drained = pool.pool.drain();
        PoolEvent.Exited exited = awaitExit();
        assertEquals(Processes.TERMINATED, exited.exit().code());
        assertTrue(exited.exit().expected());
        TestLoops.await(drained);
    }

    /** As background tasks and the end of a lifespan do. */
    @Test
    void whatItSaysWhenItIsToldToEndIsHeard() {
        pool.supervise(
                Processes.shell(
                        "trap 'sleep 0.3; echo last words; exit' TERM;"
                                + " echo $HANDOFF_TOKEN; while :; do sleep 0.05; done"),
                1);
        token();
        CompletableFuture<Void> drained = pool.pool.drain();
        assertEquals("last words", pool.events.await(PoolEvent.Output.class).line());
        assertEquals(0, awaitExit().exit().code());
        TestLoops.await(drained);
    }

    @Test
    void aProcessThatIsJustBeingStartedIsEndedToo() {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        CompletableFuture<Void> drained = pool.pool.drain();
        assertEquals(-1, awaitExit().restartMillis());
        TestLoops.await(drained);
    }

    @Test
    void aDrainedPoolStartsNothingAgain() {
        pool.supervise(List.of("no-such-program"), 1);
        CompletableFuture<Void> drained = pool.pool.drain();
        TestLoops.await(drained);
        pool.advance(Duration.ofMinutes(1));
        assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
    }

    @Test
    void aWorkerThatDrainsByItselfIsReplaced() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = join(token())) {
            worker.send(new Message.Drain());
            assertTrue(worker.remaining().isEmpty());
        }
        assertEquals(LeaveReason.DRAINED, pool.events.await(PoolEvent.Left.class).reason());
        pool.advance(ProcessRun.LEAVE_GRACE);
        awaitExit();
        pool.advance(FIRST_BACK_OFF);
        join(token()).die();
    }

    /** As it ends within the milliseconds in which the pool reads the last of its connection. */
    @Test
    void aWorkerThatDrainedIsExpectedToEndBeforeItsConnection() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker worker = join(token())) {
            worker.send(new Message.Drain());
            assertTrue(worker.remaining().isEmpty());
            kill();
            pool.await(snapshot -> snapshot.workers().getFirst().pid() == 0);
        }
        assertEquals(LeaveReason.DRAINED, pool.events.await(PoolEvent.Left.class).reason());
        assertTrue(awaitExit().exit().expected());
        assertEquals("", pool.snapshot().workers().getFirst().lastError());
    }

    /** Makes a token at once, and the process later. */
    private static final class StarterThatWaits extends ProcessStarter {
        private final CompletableFuture<String> token = new CompletableFuture<>();
        private final CompletableFuture<Void> wanted = new CompletableFuture<>();

        StarterThatWaits() {
            super(System.getenv("PATH"));
        }

        @Override
        void start(
                WorkerProcess.Owner owner,
                WorkerCommand worker,
                Map<String, String> environment,
                EventLoop loop,
                ProcessListener listener,
                HeldOutputs heldOutputs) {
            var _ =
                    wanted.thenRun(() ->
                            super.start(owner, worker, environment, loop, listener, heldOutputs));
            token.complete(environment.get("HANDOFF_TOKEN"));
        }

        String token() {
            return token.orTimeout(20, TimeUnit.SECONDS).join();
        }

        void goOn() {
            wanted.complete(null);
        }
    }

    private void kill() {
        Processes.kill(pid);
        Processes.awaitEnd(pid);
    }

    /** Waits for the next process, and for its token. */
    private String token() {
        pid = pool.events.await(PoolEvent.Started.class).pid();
        return pool.events.await(PoolEvent.Output.class).line();
    }

    private TestWorker join(String token) throws IOException {
        TestWorker worker = TestWorker.connect(pool.path);
        worker.send(TestWorker.hello(1, "default", token, 1));
        worker.expect(Message.Welcome.class);
        pool.events.await(PoolEvent.Joined.class);
        return worker;
    }

    private PoolEvent.Exited awaitExit() {
        return pool.events.await(PoolEvent.Exited.class);
    }

    private static void assertRefused(String code, TestWorker worker) throws IOException {
        assertEquals(
                code,
                assertInstanceOf(Message.Refused.class, worker.remaining().getFirst()).code());
    }
}

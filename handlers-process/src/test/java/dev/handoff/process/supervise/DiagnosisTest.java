package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.WholeMessages;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the core says of a worker that it disconnects, for its author to read. */
@Tag("processes")
final class DiagnosisTest {
    private static final String EXTERNAL = "default-external-1: ";
    private static final Duration PING_INTERVAL = Duration.ofSeconds(15);
    private static final Duration PONG_TIMEOUT = Duration.ofSeconds(5);
    private static final byte[] NO_JSON = {0, 0, 0, 2, 0, 0, 0, 0, 'n', 'o'};

    private TestPool pool;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
    }

    @AfterEach
    void stop() throws IOException {
        pool.close();
    }

    @Test
    void tellsOfAPingThatWasNotAnswered() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            pool.advance(PING_INTERVAL);
            worker.expect(Message.Ping.class);
            pool.advance(PONG_TIMEOUT);
            assertLeft(LeaveReason.STUCK);
            assertPoolError("it did not answer a ping within 5 s");
        }
    }

    @Test
    void tellsWhichRequestWasNotAnsweredAfterItsDeadline() throws IOException {
        try (TestWorker worker = pool.join(2)) {
            pool.get("/first");
            TestExchange late = pool.get("/late?token=secret");
            worker.request();
            worker.request();
            late.abandon(Abandonment.DEADLINE);
            pool.loops.awaitIdle();
            pool.advance(PoolLimits.DEFAULT.cancelGrace());
            assertLeft(LeaveReason.STUCK);
            assertPoolError(
                    "id 2 (GET /late...) was cancelled (deadline) and not answered within the"
                            + " grace of 5 s");
        }
    }

    @Test
    void tellsOfAFrameThatIsUnfinished() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange late = pool.get("/");
            worker.request();
            worker.sendBytes(new byte[] {0, 0, 0, 20, 0, 0, 0, 0, '{'});
            pool.loops.awaitIdle();
            late.abandon(Abandonment.DEADLINE);
            pool.loops.awaitIdle();
            pool.advance(PoolLimits.DEFAULT.cancelGrace());
            assertLeft(LeaveReason.STUCK);
            assertTrue(
                    poolError().endsWith("; the frame that it sends is unfinished"), poolError());
        }
    }

    @Test
    void tellsOfWhatAWorkerDoesNotRead() throws IOException {
        try (TestWorker deaf = pool.join(1)) {
            pool.post("/", Body.of(new byte[8 * 1024 * 1024]));
            pool.loops.awaitIdle();
            pool.advance(PoolLimits.DEFAULT.writeTimeout());
            assertLeft(LeaveReason.STUCK);
            String expected =
                    "it took less than 64 KiB in %d s; it does not read: \\d+ bytes for it wait"
                            .formatted(PoolLimits.DEFAULT.writeTimeout().toSeconds());
            assertTrue(poolError().matches(EXTERNAL + expected), poolError());
            deaf.remaining();
            try (TestWorker living = pool.join(1)) {
                living.answerNext("replayed");
            }
        }
    }

    @Test
    void tellsOfAWorkerThatWasStartedElsewhereUntilOneGetsReady() throws IOException {
        String fault = EXTERNAL + "it broke the protocol (not_json): message: ";
        try (TestWorker faulty = joinAs("importer", 1)) {
            faulty.sendBytes(NO_JSON);
            assertLeft(LeaveReason.PROTOCOL_FAULT);
            assertTrue(poolError().startsWith(fault), poolError());
        }
        try (TestWorker again = joinAs("importer", 0);
                TestWorker other = joinAs("other", 0)) {
            assertTrue(poolError().startsWith(fault), poolError());
            other.send(new Message.Capacity(1));
            pool.await(snapshot -> snapshot.concurrency() == 1);
            assertEquals("", poolError());
            List<PoolSnapshot.Worker> workers = pool.snapshot().workers();
            assertTrue(workers.getFirst().lastError().startsWith(fault), workers.toString());
            assertEquals("", workers.getLast().lastError());
            again.die();
        }
    }

    @Test
    void remembersSoManyNamesAndForgetsTheOldest() throws IOException {
        for (int i = 0; i <= ExternalWorkers.MOST_NAMES; i++) {
            try (TestWorker faulty = joinAs("worker-" + i, 1)) {
                faulty.sendBytes(NO_JSON);
                assertLeft(LeaveReason.PROTOCOL_FAULT);
            }
        }
        try (TestWorker oldest = joinAs("worker-0", 1);
                TestWorker next = joinAs("worker-1", 1)) {
            List<PoolSnapshot.Worker> workers = pool.snapshot().workers();
            assertEquals("", workers.getFirst().lastError());
            assertTrue(workers.getLast().lastError().contains("not_json"), workers.toString());
            oldest.die();
            next.die();
        }
    }

    @Test
    void isNotReplacedByTheExitThatFollows() throws IOException {
        StartedWorkers started = new StartedWorkers(pool);
        pool.supervise(Processes.shell("echo $HANDOFF_TOKEN; exec sleep 1000"), 1);
        try (TestWorker faulty = started.join("default-1")) {
            faulty.sendBytes(NO_JSON);
            assertLeft(LeaveReason.PROTOCOL_FAULT);
        }
        String diagnosis = "default-1: it broke the protocol (not_json): ";
        assertTrue(workerError().startsWith(diagnosis), workerError());
        pool.advance(ProcessRun.LEAVE_GRACE);
        started.awaitExit("default-1");
        assertTrue(workerError().startsWith(diagnosis), workerError());
        assertTrue(workerError().endsWith("; then signal 15"), workerError());
    }

    @Test
    void aWorkerKnowsWhichIdsItWasHanded() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            Message.Request request = worker.request();
            worker.answer(request, "once");
            exchange.response();
            worker.answer(request, "twice");
            PoolEvent.UnknownResponse repeated = pool.events.await(PoolEvent.UnknownResponse.class);
            assertTrue(repeated.handed());
            worker.send(new Message.Failure(2, "never asked", false));
            PoolEvent.UnknownResponse unknown = pool.events.await(PoolEvent.UnknownResponse.class);
            assertTrue(!unknown.handed());
        }
    }

    private TestWorker joinAs(String name, int concurrency) throws IOException {
        TestWorker worker = TestWorker.connect(pool.path);
        worker.send(
                WholeMessages.hello(
                        concurrency, "default", null, name, 0, null, null, null, 1, List.of(), 0));
        worker.expect(Message.Welcome.class);
        return worker;
    }

    private void assertLeft(LeaveReason reason) {
        assertEquals(reason, pool.events.await(PoolEvent.Left.class).reason());
    }

    private void assertPoolError(String why) {
        assertEquals(EXTERNAL + why, poolError());
    }

    private String poolError() {
        return pool.snapshot().lastError();
    }

    private String workerError() {
        return pool.snapshot().workers().getFirst().lastError();
    }
}

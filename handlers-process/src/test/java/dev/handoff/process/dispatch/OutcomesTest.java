package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Response;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.Tally;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is handed to a worker ends in one way, which is counted and told. */
final class OutcomesTest {
    private static final String WORKER = "default-external-1";

    @Test
    void answered() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            TestExchange responded = pool.get("/");
            TestExchange failed = pool.get("/");
            worker.answerNext("");
            worker.send(new Message.Failure(worker.request().id(), "why", false));
            responded.response();
            failed.failure();
            assertCounts(new Tally.Counts(2, 2, 0, 0, 0, 0, 0), pool);
            assertOfWorker(new PoolSnapshot.WorkerCounts(2, 1, 0, 0), pool);
            assertEquals(2, pool.events.heard(PoolEvent.Answered.class).size());
        }
    }

    @Test
    void answeredLate() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            pool.get("/").abandon(Abandonment.CLIENT_GONE);
            assertEquals(
                    new PoolEvent.Cancelled(WORKER, CancelReason.CLIENT_GONE),
                    pool.events.await(PoolEvent.Cancelled.class));
            worker.answerNext("late");
            pool.events.await(PoolEvent.AnsweredLate.class);
            assertCounts(new Tally.Counts(1, 0, 1, 0, 0, 1, 0), pool);
            assertOfWorker(new PoolSnapshot.WorkerCounts(1, 0, 1, 1), pool);
            assertEquals(List.of(), pool.events.heard(PoolEvent.Cancelled.class));
            assertEquals(List.of(), pool.events.heard(PoolEvent.Answered.class));
        }
    }

    @Test
    void givenBack() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            pool.get("/");
            worker.send(new Message.Failure(worker.request().id(), "not now", true));
            worker.answerNext("now");
            pool.events.await(PoolEvent.Answered.class);
            assertCounts(new Tally.Counts(2, 1, 0, 1, 0, 0, 0), pool);
            assertOfWorker(new PoolSnapshot.WorkerCounts(2, 0, 0, 0), pool);
            assertEquals(
                    List.of(new PoolEvent.GivenBack(WORKER)),
                    pool.events.heard(PoolEvent.GivenBack.class));
        }
    }

    @Test
    void lostWithItsWorkerBeItWantedOrCancelled() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            pool.get("/wanted");
            pool.get("/cancelled").abandon(Abandonment.DEADLINE);
            pool.loops.awaitIdle();
            worker.die();
            assertEquals(1, pool.events.await(PoolEvent.Left.class).lost());
            assertCounts(new Tally.Counts(2, 0, 0, 0, 2, 1, 0), pool);
            assertEquals(2, pool.events.heard(PoolEvent.Lost.class).size());
        }
    }

    @Test
    void aResponseToNothingIsNone() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            worker.send(new Message.Response(7, Response.text(200, "")));
            assertEquals(
                    new PoolEvent.UnknownResponse(WORKER, 7, false),
                    pool.events.await(PoolEvent.UnknownResponse.class));
            assertCounts(new Tally.Counts(0, 0, 0, 0, 0, 0, 1), pool);
        }
    }

    private static void assertOfWorker(PoolSnapshot.WorkerCounts expected, TestPool pool) {
        assertEquals(expected, pool.snapshot().workers().getFirst().counts());
    }

    private static void assertCounts(Tally.Counts expected, TestPool pool) {
        assertEquals(expected, pool.told());
    }
}

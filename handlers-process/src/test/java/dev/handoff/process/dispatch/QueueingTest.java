package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of requests that have to wait. */
final class QueueingTest {
    @Test
    void aFullQueueGivesUpItsOldestForTheNewestWhichGoesFirst() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(2, 1_000_000));
                TestWorker worker = pool.join(1)) {
            TestExchange inHand = pool.get("/0");
            TestExchange oldest = pool.get("/1");
            TestExchange older = pool.get("/2");
            assertFalse(pool.snapshot().overloaded());
            TestExchange newest = pool.get("/3");
            oldest.assertFailed(503, "queue_full");
            assertEquals(1, oldest.failure().retryAfterSeconds());
            assertEquals(
                    new PoolEvent.Rejected(Rejection.QUEUE_FULL, 2),
                    pool.events.await(PoolEvent.Rejected.class));
            assertTrue(pool.snapshot().overloaded());

            for (TestExchange exchange : List.of(inHand, newest, older)) {
                worker.answerNext("");
                exchange.response();
            }
            assertFalse(pool.snapshot().overloaded());
            assertEquals(
                    List.of(new PoolEvent.Overload(true), new PoolEvent.Overload(false)),
                    pool.events.heard(PoolEvent.Overload.class));
        }
    }

    @Test
    void servesTheNewestFirstOnceTheOldestHasWaitedATenthOfTheQueueTimeout() throws IOException {
        Duration tenth = PoolLimits.DEFAULT.queueTimeout().dividedBy(10);
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            for (int i = 0; i < 5; i++) {
                pool.get("/" + i);
            }
            worker.answerNext("");
            pool.advance(tenth);
            Message.Request second = worker.request();
            assertEquals("/1", second.target());
            worker.answer(second, "");
            Message.Request third = worker.request();
            assertEquals("/2", third.target());
            pool.advance(Duration.ofNanos(1));
            worker.answer(third, "");
            assertEquals("/4", worker.request().target());
        }
    }

    @Test
    void theWaitForAFreeWorkerBeginsWhenTheFirstOneComes() throws IOException {
        try (TestPool pool = TestPool.start()) {
            pool.get("/0");
            TestExchange waiting = pool.get("/1");
            pool.advance(PoolLimits.DEFAULT.noWorkerGrace().minusNanos(1));
            try (TestWorker worker = pool.join(1)) {
                worker.request();
                pool.advance(PoolLimits.DEFAULT.queueTimeout().minusNanos(1));
                assertFalse(waiting.isAnswered());
                pool.advance(Duration.ofNanos(1));
                waiting.assertFailed(503, "queue_timeout");
            }
        }
    }

    @Test
    void theGraceForANewWorkerBeginsWhenTheLastOneLeaves() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            pool.get("/0");
            TestExchange waiting = pool.get("/1");
            worker.request();
            pool.advance(PoolLimits.DEFAULT.queueTimeout().minusNanos(1));
            worker.die();
            pool.events.await(PoolEvent.Left.class);
            pool.advance(PoolLimits.DEFAULT.noWorkerGrace().minusNanos(1));
            assertFalse(waiting.isAnswered());
            pool.advance(Duration.ofNanos(1));
            waiting.assertFailed(503, "no_worker");
        }
    }

    @Test
    void refusesWhatIsTooLargeForTheQueue() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(0, 1000))) {
            TestExchange small = pool.post("/", Body.of(new byte[1]));
            pool.post("/", Body.of(new byte[1001])).assertFailed(503, "queue_bytes");
            assertEquals(
                    new PoolEvent.Rejected(Rejection.QUEUE_BYTES, 1000),
                    pool.events.await(PoolEvent.Rejected.class));
            assertEquals(1, pool.snapshot().queued());
            assertFalse(small.isAnswered());
        }
    }

    /** As during a restart of all workers: those who wait for it must not be turned out. */
    @Test
    void theLimitStaysWhileTheWorkersAreAway() throws IOException {
        int window = 2000;
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(window)) {
            int most = PoolLimits.DEFAULT.queueRequests(window);
            assertEquals(4 * window, most);
            assertEquals(most, pool.snapshot().queueLimit());
            worker.die();
            pool.events.await(PoolEvent.Left.class);
            assertEquals(most, pool.snapshot().queueLimit());
        }
    }

    @Test
    void aThousandMayWaitForTheFirstWorker() throws IOException {
        try (TestPool pool = TestPool.start()) {
            List<TestExchange> waiting = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                waiting.add(pool.get("/" + i));
            }
            assertEquals(1000, pool.snapshot().queued());
            assertFalse(waiting.getFirst().isAnswered());
            pool.get("/one-more");
            waiting.getFirst().assertFailed(503, "queue_full");
        }
    }

    @Test
    void waitsForABusyWorkerUntilTheQueueTimeout() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            pool.get("/0");
            worker.request();
            TestExchange waiting = pool.get("/1");
            pool.advance(PoolLimits.DEFAULT.queueTimeout().minusNanos(1));
            assertFalse(waiting.isAnswered());
            pool.advance(Duration.ofNanos(1));
            waiting.assertFailed(503, "queue_timeout");
            assertEquals(1, waiting.failure().retryAfterSeconds());
            assertEquals(
                    Rejection.QUEUE_TIMEOUT, pool.events.await(PoolEvent.Rejected.class).reason());
            assertEquals(0, pool.snapshot().queued());
        }
    }

    @Test
    void waitsForAFirstWorkerUntilTheGrace() throws IOException {
        try (TestPool pool = TestPool.start()) {
            TestExchange waiting = pool.get("/");
            pool.advance(PoolLimits.DEFAULT.noWorkerGrace().minusNanos(1));
            assertFalse(waiting.isAnswered());
            pool.advance(Duration.ofNanos(1));
            waiting.assertFailed(503, "no_worker");
            assertEquals(1, waiting.failure().retryAfterSeconds());
        }
    }

    @Test
    void aWorkerThatComesInTimeGetsWhatWaited() throws IOException {
        try (TestPool pool = TestPool.start()) {
            TestExchange first = pool.get("/1");
            TestExchange second = pool.get("/2");
            try (TestWorker worker = pool.join(1)) {
                worker.answerNext("one");
                worker.answerNext("two");
                first.assertResponse("one");
                second.assertResponse("two");
            }
            pool.advance(Duration.ofMinutes(1));
            assertEquals(1, first.responses());
        }
    }

    @Test
    void aClientThatLeavesGivesUpItsPlaceAtOnce() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(2, 1_000_000));
                TestWorker worker = pool.join(1)) {
            pool.get("/0");
            TestExchange leaving = pool.get("/1");
            pool.get("/2");
            leaving.abandon(Abandonment.CLIENT_GONE);
            assertEquals(1, pool.snapshot().queued());
            TestExchange next = pool.get("/3");
            assertEquals(2, pool.snapshot().queued());

            worker.answerNext("");
            assertEquals("/2", worker.request().target());
            assertFalse(next.isAnswered());
            assertEquals(0, leaving.responses());
        }
    }

    @Test
    void aClientThatLeftBeforeThePoolHeardOfItIsNotServed() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(5)) {
            TestExchange exchange = TestExchange.get(pool.clientLoop(), "/gone");
            exchange.abandon(Abandonment.CLIENT_GONE);
            pool.submit(exchange);
            pool.get("/there");
            assertEquals("/there", worker.request().target());
        }
    }
}

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
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which worker gets a request, and when. */
final class DispatchTest {
    @Test
    void handsOverTheRequestAsItCame() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            Body body = Body.utf8("some text");
            pool.post("/form?a=%20b", body);
            Message.Request request = worker.request();
            assertEquals("POST", request.method());
            assertEquals("/form?a=%20b", request.target());
            assertEquals("1.1", request.version());
            assertEquals("192.0.2.1:49152", request.client());
            assertEquals("test", request.headers().first("host"));
            assertEquals("9", request.headers().first("content-length"));
            assertEquals(body, request.body());
            assertEquals(TestExchange.TIMEOUT.toMillis(), request.timeoutMillis());
        }
    }

    @Test
    void takesTheTimeInTheQueueOffTheTimeout() throws IOException {
        try (TestPool pool = TestPool.start()) {
            pool.get("/");
            pool.advance(Duration.ofMillis(1500));
            try (TestWorker worker = pool.join(1)) {
                long left = TestExchange.TIMEOUT.toMillis() - 1500;
                assertEquals(left, worker.request().timeoutMillis());
                assertEquals(
                        Duration.ofMillis(1500).toNanos(),
                        pool.events.await(PoolEvent.Dispatched.class).waitNanos());
            }
        }
    }

    @Test
    void fillsWindowsByTheSameShare() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker small = pool.join(2);
                TestWorker large = pool.join(6)) {
            for (int i = 0; i < 4; i++) {
                dispatch(pool);
            }
            small.request();
            large.request();
            large.request();
            large.request();
        }
    }

    @Test
    void aNewcomerGetsRequestsThoughAnotherHasMoreRoom() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker grown = pool.join(64)) {
            for (int i = 0; i < 8; i++) {
                assertEquals("default-external-1", dispatch(pool));
            }
            try (TestWorker newcomer = pool.join(16)) {
                assertEquals("default-external-2", dispatch(pool));
                assertEquals("default-external-2", dispatch(pool));
                newcomer.request();
                grown.request();
            }
        }
    }

    @Test
    void aWorkerThatDoesNotReadGetsNoMoreThanTheKernelHolds() throws IOException {
        Body large = Body.of(new byte[1_000_000]);
        try (TestPool pool = TestPool.start();
                TestWorker busy = pool.join(100)) {
            for (int i = 0; i < 10; i++) {
                pool.post("/" + i, large);
            }
            PoolSnapshot snapshot = pool.snapshot();
            assertTrue(snapshot.inFlight() < 3, snapshot::toString);
            assertEquals(10, snapshot.inFlight() + snapshot.queued());

            for (int i = 0; i < 10; i++) {
                busy.answerNext("read");
            }
            pool.await(now -> now.inFlight() == 0 && now.queued() == 0);
        }
    }

    @Test
    void equalsTakeTurns() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker first = pool.join(100);
                TestWorker second = pool.join(100);
                TestWorker third = pool.join(100)) {
            for (int i = 0; i < 5; i++) {
                pool.get("/");
                pool.get("/");
                pool.get("/");
                first.answerNext("1");
                second.answerNext("2");
                third.answerNext("3");
                pool.events.await(PoolEvent.Answered.class);
                pool.events.await(PoolEvent.Answered.class);
                pool.events.await(PoolEvent.Answered.class);
            }
        }
    }

    @Test
    void idleEqualsTakeTurns() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker first = pool.join(100);
                TestWorker second = pool.join(100)) {
            List<String> served = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String chosen = dispatch(pool);
                TestWorker worker = chosen.equals("default-external-1") ? first : second;
                worker.answerNext("");
                pool.events.await(PoolEvent.Answered.class);
                served.add(chosen);
            }
            assertEquals(2, Set.copyOf(served.subList(0, 2)).size(), served::toString);
            assertEquals(served.subList(0, 2), served.subList(2, 4));
        }
    }

    @Test
    void aWorkerThatIsNotReadyGetsNothingUntilItOpensItsWindow() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(0)) {
            TestExchange exchange = pool.get("/");
            assertEquals(1, pool.snapshot().queued());
            assertFalse(worker.hasMessage());

            worker.send(new Message.Capacity(1));
            worker.answerNext("ready");
            exchange.assertResponse("ready");
        }
    }

    @Test
    void aShrunkWindowLetsWhatItHoldsFinishAndTakesNoMore() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            List<TestExchange> exchanges = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                exchanges.add(pool.get("/" + i));
            }
            Message.Request first = worker.request();
            Message.Request second = worker.request();
            worker.send(new Message.Capacity(1));
            worker.answer(first, "0");
            exchanges.get(0).response();
            assertEquals(1, pool.snapshot().inFlight());

            worker.send(new Message.Capacity(0));
            worker.answer(second, "1");
            exchanges.get(1).response();
            assertEquals(0, pool.snapshot().inFlight());
            assertEquals(2, pool.snapshot().queued());

            worker.send(new Message.Capacity(2));
            worker.answerNext("2");
            worker.answerNext("3");
            exchanges.get(2).assertResponse("2");
            exchanges.get(3).assertResponse("3");
        }
    }

    @Test
    void idsAreNeverUsedAgain() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            for (long id = 1; id <= 5; id++) {
                TestExchange exchange = pool.get("/");
                Message.Request request = worker.request();
                assertEquals(id, request.id());
                worker.answer(request, "");
                exchange.response();
            }
        }
    }

    @Test
    void tellsHowItIsDoing() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(7, 1_000_000));
                TestWorker worker = pool.join(2);
                TestWorker leaving = pool.join(4)) {
            leaving.send(new Message.Drain());
            assertTrue(leaving.remaining().isEmpty());
            for (int i = 0; i < 3; i++) {
                pool.get("/");
            }
            worker.request();
            worker.request();
            pool.advance(Duration.ofMillis(30));
            PoolSnapshot snapshot = pool.snapshot();
            assertEquals("default", snapshot.name());
            assertEquals(2, snapshot.concurrency());
            assertEquals(2, snapshot.inFlight());
            assertEquals(1, snapshot.queued());
            assertTrue(snapshot.queuedBytes() > 1024, "less than its objects take");
            assertEquals(7, snapshot.queueLimit());
            assertEquals(1_000_000, snapshot.queueLimitBytes());
            assertEquals(30_000_000, snapshot.oldestWaitNanos());
            String first = "default-external-1";
            String second = "default-external-2";
            List<Long> serials =
                    snapshot.workers().stream().map(PoolSnapshot.Worker::serial).toList();
            assertEquals(
                    List.of(
                            worker(first, serials.getFirst(), "ready", 2, 2, 30_000_000),
                            worker(second, serials.getLast(), "draining", 4, 0, 0)),
                    snapshot.workers());
            assertEquals(2, Set.copyOf(serials).size());
        }
    }

    /** One that joined when the test began, and holds all that it got. */
    private static PoolSnapshot.Worker worker(
            String id, long serial, String state, int concurrency, int inFlight, long oldestNanos) {
        return new PoolSnapshot.Worker(
                id,
                id,
                serial,
                0,
                "",
                state,
                concurrency,
                inFlight,
                0,
                oldestNanos,
                new PoolSnapshot.WorkerCounts(inFlight, 0, 0, 0),
                Instant.ofEpochSecond(784_111_777),
                0,
                0,
                "");
    }

    private static String dispatch(TestPool pool) {
        pool.get("/");
        return pool.events.await(PoolEvent.Dispatched.class).worker();
    }
}

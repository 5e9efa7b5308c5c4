package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.http.Response;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Workers that say they could not answer, or say things that nobody asked for. */
final class FailureTest {
    @Test
    void isA500() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            worker.send(new Message.Failure(worker.request().id(), "ValueError: secret", false));
            exchange.assertFailed(500, "handler_failed");
            assertFalse(exchange.failure().message().contains("secret"));
            assertEquals(
                    new PoolEvent.HandlerFailed("default-external-1", "ValueError: secret"),
                    pool.events.await(PoolEvent.HandlerFailed.class));
        }
    }

    @Test
    void isToldOnlyInPartWhereItIsLong() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            String message = "x".repeat(900_000);
            worker.send(new Message.Failure(worker.request().id(), message, false));
            exchange.assertFailed(500, "handler_failed");
            assertEquals(
                    "x".repeat(4096) + "… (895904 more characters)",
                    pool.events.await(PoolEvent.HandlerFailed.class).message());
        }
    }

    @Test
    void oneThatMayBeRetriedGoesToAnotherWorker() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker first = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            Message.Request request = first.request();
            try (TestWorker second = pool.join(1)) {
                first.send(new Message.Failure(request.id(), "not now", true));
                second.answer(second.request(), "second");
                assertEquals("second", exchange.response().body().toUtf8());
                assertFalse(first.hasMessage());
            }
        }
    }

    @Test
    void waitsForAnotherWorkerThatIsBusy() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker first = pool.join(1);
                TestWorker second = pool.join(1)) {
            TestExchange one = pool.get("/");
            TestExchange two = pool.get("/");
            first.send(new Message.Failure(first.request().id(), "not now", true));
            pool.events.await(PoolEvent.GivenBack.class);
            assertEquals(1, pool.snapshot().queued());

            second.answer(second.request(), "second");
            second.answer(second.request(), "second");
            assertEquals("second", one.response().body().toUtf8());
            assertEquals("second", two.response().body().toUtf8());
            assertFalse(first.hasMessage());
        }
    }

    @Test
    void oneThatWaitsForAnotherWorkerDoesNotHoldUpTheQueue() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker first = pool.join(1);
                TestWorker busy = pool.join(1)) {
            TestExchange givenBack = pool.get("/");
            pool.get("/");
            TestExchange queued = pool.get("/queued");
            busy.request();
            first.send(new Message.Failure(first.request().id(), "not now", true));
            first.answer(first.request(), "queued");
            assertEquals("queued", queued.response().body().toUtf8());
            TestExchange late = pool.get("/late");
            first.answer(first.request(), "late");
            assertEquals("late", late.response().body().toUtf8());
            assertFalse(givenBack.isAnswered());

            busy.send(new Message.Drain());
            first.answer(first.request(), "nobody else is there");
            assertEquals("nobody else is there", givenBack.response().body().toUtf8());
        }
    }

    @Test
    void isRetriedThreeTimesAtMost() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            for (int i = 0; i < 4; i++) {
                assertFalse(exchange.isAnswered());
                worker.send(new Message.Failure(worker.request().id(), "never", true));
            }
            exchange.assertFailed(500, "handler_failed");
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
            // Only the last time: what goes to another worker has not failed.
            assertEquals(1, pool.events.heard(PoolEvent.HandlerFailed.class).size());
        }
    }

    @Test
    void aRetriedRequestStillTimesOut() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            Message.Request request = worker.request();
            worker.send(new Message.Capacity(0), new Message.Failure(request.id(), "paused", true));
            pool.events.await(PoolEvent.GivenBack.class);
            pool.advance(PoolLimits.DEFAULT.queueTimeout());
            exchange.assertFailed(503, "queue_timeout");
        }
    }

    @Test
    void aSecondAnswerReachesNobody() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            TestExchange first = pool.get("/1");
            TestExchange second = pool.get("/2");
            Message.Request request = worker.request();
            worker.answer(request, "once");
            worker.answer(request, "twice");
            assertEquals(request.id(), pool.events.await(PoolEvent.UnknownResponse.class).id());
            assertEquals("once", first.response().body().toUtf8());
            assertEquals(1, first.answers());

            worker.answer(worker.request(), "good");
            assertEquals("good", second.response().body().toUtf8());
        }
    }

    @Test
    void anUnknownIdReachesNobody() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            Message.Request request = worker.request();
            long unknown = request.id() + 1;
            worker.send(
                    new Message.Response(unknown, Response.text(200, "wrong")),
                    new Message.Failure(unknown, "wrong", false));
            pool.events.await(PoolEvent.UnknownResponse.class);
            pool.events.await(PoolEvent.UnknownResponse.class);
            assertFalse(exchange.isAnswered());
            worker.answer(request, "right");
            assertEquals("right", exchange.response().body().toUtf8());
        }
    }

    @Test
    void whatAFaultyWorkerHoldsIsLostAndNothingElse() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker faulty = pool.join(1);
                TestWorker good = pool.join(1)) {
            TestExchange lost = pool.get("/0");
            TestExchange kept = pool.get("/1");
            TestExchange queued = pool.get("/2");
            faulty.request();
            faulty.sendBytes(new byte[] {0, 0, 0, 2, 0, 0, 0, 0, 'n', 'o'});
            lost.assertFailed(502, "worker_fault");
            assertEquals(
                    new PoolEvent.Left("default-external-1", LeaveReason.PROTOCOL_FAULT, 1),
                    pool.events.await(PoolEvent.Left.class));
            assertEquals("not_json", ((Message.Refused) faulty.remaining().getFirst()).code());

            good.answer(good.request(), "kept");
            assertEquals("kept", kept.response().body().toUtf8());
            good.answer(good.request(), "queued");
            assertEquals("queued", queued.response().body().toUtf8());
        }
    }

    @Test
    void aFaultyWorkerGetsNothingMoreInTheSameTurn() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker faulty = pool.join(1)) {
            TestExchange first = pool.get("/1");
            TestExchange queued = pool.get("/2");
            Message.Request request = faulty.request();
            // One write: the answer makes room, the rest breaks the protocol.
            faulty.sendWithBytes(
                    new Message.Response(request.id(), Response.text(200, "first")),
                    new byte[] {0, 0, 0, 0, 0, 0, 0, 0});
            first.response();
            assertEquals(1, faulty.remaining().size());
            try (TestWorker good = pool.join(1)) {
                good.answer(good.request(), "queued");
                assertEquals("queued", queued.response().body().toUtf8());
            }
        }
    }
}

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
                second.answerNext("second");
                exchange.assertResponse("second");
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

            second.answerNext("second");
            second.answerNext("second");
            one.assertResponse("second");
            two.assertResponse("second");
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
            first.answerNext("queued");
            queued.assertResponse("queued");
            TestExchange late = pool.get("/late");
            first.answerNext("late");
            late.assertResponse("late");
            assertFalse(givenBack.isAnswered());

            busy.send(new Message.Drain());
            first.answerNext("nobody else is there");
            givenBack.assertResponse("nobody else is there");
        }
    }

    /** A worker of one thread, say, to which others that take long come first. */
    @Test
    void isRetriedAnyTimeByAWorkerThatAnswersOthersMeanwhile() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            TestExchange exchange = pool.get("/unlucky");
            Message.Request unlucky = worker.request();
            for (int i = 0; i < 10; i++) {
                TestExchange other = pool.get("/other");
                worker.answerNext("lucky");
                other.assertResponse("lucky");
                worker.send(new Message.Failure(unlucky.id(), "not now", true));
                unlucky = worker.request();
            }
            worker.answer(unlucky, "at last");
            exchange.assertResponse("at last");
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
    void aSecondResponseReachesNobody() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            TestExchange first = pool.get("/1");
            TestExchange second = pool.get("/2");
            Message.Request request = worker.request();
            worker.answer(request, "once");
            worker.answer(request, "twice");
            assertEquals(request.id(), pool.events.await(PoolEvent.UnknownResponse.class).id());
            first.assertResponse("once");
            assertEquals(1, first.responses());

            worker.answerNext("good");
            second.assertResponse("good");
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
            exchange.assertResponse("right");
        }
    }

    @Test
    void aFaultyWorkerGetsNothingMoreInTheSameTurn() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker faulty = pool.join(1)) {
            TestExchange first = pool.get("/1");
            TestExchange queued = pool.get("/2");
            Message.Request request = faulty.request();
            // One write: the response makes room, the rest breaks the protocol.
            faulty.sendWithBytes(
                    new Message.Response(request.id(), Response.text(200, "first")),
                    new byte[] {0, 0, 0, 0, 0, 0, 0, 0});
            first.response();
            assertEquals(1, faulty.remaining().size());
            try (TestWorker good = pool.join(1)) {
                good.answerNext("queued");
                queued.assertResponse("queued");
            }
        }
    }
}

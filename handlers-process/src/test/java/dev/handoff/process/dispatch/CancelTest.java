package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.http.Response;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nobody wants the response any more. */
final class CancelTest {
    private static final Duration GRACE = PoolLimits.DEFAULT.cancelGrace();

    @Test
    void tellsTheWorkerThatTheClientHasLeft() throws IOException {
        assertCancelled(Abandonment.CLIENT_GONE, CancelReason.CLIENT_GONE);
    }

    @Test
    void tellsTheWorkerThatTheDeadlineHasPassed() throws IOException {
        assertCancelled(Abandonment.DEADLINE, CancelReason.DEADLINE);
    }

    @Test
    void tellsTheWorkerThatTheServerStops() throws IOException {
        assertCancelled(Abandonment.SERVER_STOPPED, CancelReason.DRAIN);
    }

    @Test
    void thePlaceInTheWindowIsHeldUntilTheWorkerAnswers() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange cancelled = pool.get("/0");
            Message.Request request = worker.request();
            cancelled.abandon(Abandonment.CLIENT_GONE);
            worker.expect(Message.Cancel.class);

            TestExchange next = pool.get("/1");
            assertEquals(1, pool.snapshot().inFlight());
            assertEquals(1, pool.snapshot().queued());
            assertFalse(worker.hasMessage());

            worker.answer(request, "late");
            worker.answerNext("in time");
            next.assertResponse("in time");
            assertEquals(0, cancelled.responses());

            pool.advance(GRACE);
            assertEquals(1, pool.snapshot().workers().size());
        }
    }

    @Test
    void aFailureGivesThePlaceBackToo() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange cancelled = pool.get("/0");
            Message.Request request = worker.request();
            cancelled.abandon(Abandonment.CLIENT_GONE);
            worker.expect(Message.Cancel.class);
            worker.send(new Message.Failure(request.id(), "cancelled", true));

            TestExchange next = pool.get("/1");
            worker.answerNext("next");
            next.assertResponse("next");
            assertEquals(0, cancelled.responses());
        }
    }

    @Test
    void aWorkerThatKeepsItBeyondTheGraceIsStuck() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker stuck = pool.join(2)) {
            TestExchange cancelled = pool.get("/cancelled");
            TestExchange other = pool.get("/other");
            stuck.request();
            cancelled.abandon(Abandonment.DEADLINE);
            pool.loops.awaitIdle();
            pool.advance(GRACE.minusNanos(1));
            assertEquals(1, pool.snapshot().workers().size());

            pool.advance(Duration.ofNanos(1));
            assertEquals(
                    new PoolEvent.Left("default-external-1", LeaveReason.STUCK, 1),
                    pool.events.await(PoolEvent.Left.class));
            other.assertFailed(502, "worker_lost");
            assertEquals(0, cancelled.responses());
        }
    }

    /** As where the machine has more to do than it can: all others would be lost as well. */
    @Test
    void aWorkerThatIsSendingAFrameIsNotStuckYet() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker late = pool.join(2)) {
            TestExchange cancelled = pool.get("/cancelled");
            TestExchange other = pool.get("/other");
            Message.Request first = late.request();
            Message.Request second = late.request();
            cancelled.abandon(Abandonment.DEADLINE);
            late.expect(Message.Cancel.class);
            byte[] frame =
                    new FrameEncoder()
                            .encode(new Message.Response(second.id(), Response.text(200, "other")));
            late.sendBytes(Arrays.copyOf(frame, 9));
            pool.loops.awaitIdle();
            pool.advance(GRACE);
            pool.loops.awaitIdle();
            late.sendBytes(Arrays.copyOfRange(frame, 9, frame.length));
            late.send(new Message.Failure(first.id(), "at last", false));
            other.assertResponse("other");
            pool.advance(GRACE);
            assertEquals(List.of(), pool.events.heard(PoolEvent.Left.class));
        }
    }

    @Test
    void aWorkerThatSendsFramesWithoutEndIsStuckAtLast() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker stuck = pool.join(2)) {
            TestExchange cancelled = pool.get("/cancelled");
            pool.get("/other");
            stuck.request();
            stuck.request();
            cancelled.abandon(Abandonment.DEADLINE);
            stuck.expect(Message.Cancel.class);
            byte[] beginning = {0, 0, 4, 0, 0, 0, 0, 0};
            stuck.sendBytes(beginning);
            pool.loops.awaitIdle();
            for (Duration past = GRACE;
                    past.compareTo(Cancellation.MOST_BEHIND_A_FRAME.plus(GRACE)) < 0;
                    past = past.plus(GRACE)) {
                pool.advance(GRACE);
                assertEquals(List.of(), pool.events.heard(PoolEvent.Left.class));
                stuck.sendBytes(new byte[] {' '});
                pool.loops.awaitIdle();
            }
            pool.advance(GRACE);
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
        }
    }

    /** Who reads only between requests cannot know that a client has left. */
    @Test
    void aRequestWhoseClientLeftMayBeKeptUntilItsOwnDeadlineAndTheGraceBehindIt()
            throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker slow = pool.join(2)) {
            TestExchange left = pool.get("/left");
            Duration ofItsTime = TestExchange.TIMEOUT.dividedBy(3);
            pool.advance(ofItsTime);
            TestExchange other = pool.get("/other");
            Message.Request first = slow.request();
            Message.Request second = slow.request();
            left.abandon(Abandonment.CLIENT_GONE);
            pool.loops.awaitIdle();
            pool.advance(TestExchange.TIMEOUT.minus(ofItsTime).plus(GRACE).minusNanos(1));
            assertEquals(1, pool.snapshot().workers().size());

            slow.answer(second, "other");
            other.assertResponse("other");
            pool.advance(Duration.ofNanos(1));
            assertEquals(
                    new PoolEvent.Left("default-external-1", LeaveReason.STUCK, 0),
                    pool.events.await(PoolEvent.Left.class));
            assertEquals(0, left.responses());
            assertEquals("/left", first.target());
        }
    }

    @Test
    void aClientThatLeavesAtTheLastMomentCostsTheWorkerNoTime() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker slow = pool.join(1)) {
            TestExchange left = pool.get("/left");
            slow.request();
            pool.advance(TestExchange.TIMEOUT.plusSeconds(1));
            left.abandon(Abandonment.CLIENT_GONE);
            pool.loops.awaitIdle();
            pool.advance(GRACE.minusNanos(1));
            assertEquals(1, pool.snapshot().workers().size());
            pool.advance(Duration.ofNanos(1));
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
        }
    }

    @Test
    void aResponseThatOvertakesTheCancelIsWanted() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            worker.answerNext("in time");
            exchange.response();
            exchange.abandon(Abandonment.CLIENT_GONE);
            pool.loops.awaitIdle();
            assertFalse(worker.hasMessage());
            assertEquals(1, exchange.responses());
        }
    }

    private static void assertCancelled(Abandonment why, CancelReason reason) throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            long id = worker.request().id();
            exchange.abandon(why);
            assertEquals(new Message.Cancel(id, reason), worker.expect(Message.Cancel.class));
        }
    }
}

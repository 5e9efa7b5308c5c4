package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Workers that leave in good order, by themselves or because the core ends. */
final class DrainTest {
    private static final PoolEvent.Left DRAINED =
            new PoolEvent.Left("default-external-1", LeaveReason.DRAINED, 0);

    @Test
    void aWorkerThatDrainsFinishesWhatItHoldsAndGetsNoMore() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(2)) {
            TestExchange held = pool.get("/held");
            Message.Request request = worker.request();
            worker.send(new Message.Drain(), new Message.Capacity(5));
            awaitDraining(pool);
            TestExchange next = pool.get("/next");

            worker.answer(request, "held");
            held.assertResponse("held");
            assertTrue(worker.remaining().isEmpty());
            worker.die();
            assertEquals(DRAINED, pool.events.await(PoolEvent.Left.class));
            assertFalse(next.isAnswered());
        }
    }

    @Test
    void aWorkerMayCloseByItselfAfterItsLastResponse() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange held = pool.get("/");
            Message.Request request = worker.request();
            worker.send(new Message.Drain());
            worker.answer(request, "held");
            worker.die();
            held.assertResponse("held");
            assertEquals(DRAINED, pool.events.await(PoolEvent.Left.class));
        }
    }

    @Test
    void aWorkerThatWentMayComeBack() throws IOException {
        try (TestPool pool = TestPool.start()) {
            try (TestWorker worker = pool.join(1)) {
                worker.send(new Message.Drain());
                worker.remaining();
            }
            assertEquals(DRAINED, pool.events.await(PoolEvent.Left.class));
            TestExchange exchange = pool.get("/");
            try (TestWorker again = pool.join(1)) {
                again.answerNext("again");
                exchange.assertResponse("again");
                assertEquals("default-external-2", pool.snapshot().workers().getFirst().id());
            }
        }
    }

    @Test
    void aWorkerThatDoesNotCloseIsClosed() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker lingering = pool.join(1)) {
            CompletableFuture<Void> drained = pool.pool.drain();
            assertEquals(new Message.Drain(), lingering.remaining().getFirst());
            assertFalse(drained.isDone());
            pool.advance(PoolLimits.DEFAULT.cancelGrace());
            assertEquals(DRAINED, pool.events.await(PoolEvent.Left.class));
            TestLoops.await(drained);
        }
    }

    @Test
    void anEmptyPoolIsDrainedAtOnce() throws IOException {
        try (TestPool pool = TestPool.start()) {
            TestLoops.await(pool.pool.drain());
        }
    }

    @Test
    void aDrainingPoolFinishesWhatIsInHandAndRefusesTheRest() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange held = pool.get("/held");
            TestExchange queued = pool.get("/queued");
            Message.Request request = worker.request();
            CompletableFuture<Void> drained = pool.pool.drain();
            CompletableFuture<Void> drainedTwice = pool.pool.drain();

            worker.expect(Message.Drain.class);
            queued.assertFailed(503, "draining");
            pool.get("/late").assertFailed(503, "draining");
            assertTrue(pool.snapshot().draining());
            assertFalse(drained.isDone());

            worker.answer(request, "held");
            held.assertResponse("held");
            assertTrue(worker.remaining().isEmpty());
            worker.die();
            TestLoops.await(drained);
            TestLoops.await(drainedTwice);
            assertEquals(DRAINED, pool.events.await(PoolEvent.Left.class));
        }
    }

    @Test
    void whatADrainingPoolWouldReplayIsRefused() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker giving = pool.join(1);
                TestWorker dying = pool.join(1)) {
            TestExchange given = pool.get("/");
            TestExchange unsent = pool.post("/", Body.of(new byte[8 * 1024 * 1024]));
            Message.Request request = giving.request();
            CompletableFuture<Void> drained = pool.pool.drain();
            giving.send(new Message.Failure(request.id(), "draining", true));
            given.assertFailed(503, "draining");
            dying.die();
            unsent.assertFailed(503, "draining");
            giving.die();
            TestLoops.await(drained);
        }
    }

    @Test
    void aWorkerThatDiesWhileDrainingLosesWhatItHeld() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker dying = pool.join(1)) {
            TestExchange lost = pool.get("/");
            dying.request();
            CompletableFuture<Void> drained = pool.pool.drain();
            dying.expect(Message.Drain.class);
            dying.die();
            lost.assertFailed(502, "worker_lost");
            TestLoops.await(drained);
        }
    }

    private static void awaitDraining(TestPool pool) {
        pool.await(snapshot -> snapshot.workers().getFirst().state().equals("draining"));
    }
}

package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A pool whose requests go elsewhere from now on, or that gets other limits. */
final class RetireTest {
    /** Longer than a retiring pool takes to look at its queue again. */
    private static final Duration A_LOOK = Duration.ofMillis(20);

    @Test
    void answersWhatWaitsBeforeItDrains() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange held = pool.get("/held");
            Message.Request first = worker.request();
            TestExchange waiting = pool.get("/waiting");
            CompletableFuture<Void> retired = pool.pool.retire();
            pool.advance(A_LOOK);
            assertFalse(pool.snapshot().draining());

            worker.answer(first, "held");
            worker.answerNext("waiting");
            held.assertResponse("held");
            waiting.assertResponse("waiting");
            pool.advance(A_LOOK);
            worker.remaining();
            worker.die();
            TestLoops.await(retired);
            assertEquals(LeaveReason.DRAINED, pool.events.await(PoolEvent.Left.class).reason());
        }
    }

    @Test
    void endsAtOnceWithNothingInHand() throws IOException {
        try (TestPool pool = TestPool.start()) {
            TestLoops.await(pool.pool.retire());
        }
    }

    @Test
    void newLimitsCountForTheNextRequest() throws IOException {
        try (TestPool pool = TestPool.start(TestPool.queueOf(1, 1 << 20))) {
            TestExchange first = pool.get("/a");
            TestExchange second = pool.get("/b");
            assertEquals("queue_full", first.failure().code());
            pool.pool.limits(TestPool.queueOf(2, 1 << 20));
            pool.loops.awaitIdle();
            pool.get("/c");
            assertFalse(second.isAnswered());
            pool.pool.limits(TestPool.queueOf(9, 1));
            pool.loops.awaitIdle();
            assertEquals("queue_bytes", pool.get("/d").failure().code());
        }
    }
}

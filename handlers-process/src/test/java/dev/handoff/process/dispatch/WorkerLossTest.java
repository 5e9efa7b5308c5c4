package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.http.Body;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A worker goes away with requests in hand: which are lost, and which another worker gets. */
final class WorkerLossTest {
    /** Far more than a socket holds for a worker that does not read. */
    private static final int LARGE_BYTES = 8 * 1024 * 1024;

    @Test
    void losesWhatItHeldAndOnlyThat() throws IOException {
        assertLosesWhatItHeldAndOnlyThat(TestWorker::die, "worker_lost", LeaveReason.CLOSED);
    }

    @Test
    void losesWhatItHeldAndOnlyThatAlsoByAFault() throws IOException {
        assertLosesWhatItHeldAndOnlyThat(
                faulty -> {
                    faulty.sendBytes(new byte[] {0, 0, 0, 2, 0, 0, 0, 0, 'n', 'o'});
                    Message last = faulty.remaining().getFirst();
                    assertEquals("not_json", ((Message.Refused) last).code());
                },
                "worker_fault",
                LeaveReason.PROTOCOL_FAULT);
    }

    private interface Ending {
        void bringAbout(TestWorker worker) throws IOException;
    }

    private static void assertLosesWhatItHeldAndOnlyThat(
            Ending ending, String code, LeaveReason reason) throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker leaving = pool.join(1);
                TestWorker living = pool.join(1)) {
            TestExchange lost = pool.get("/0");
            TestExchange kept = pool.get("/1");
            TestExchange queued = pool.get("/2");
            leaving.request();
            ending.bringAbout(leaving);
            lost.assertFailed(502, code);
            assertEquals(
                    new PoolEvent.Left("default-external-1", reason, 1),
                    pool.events.await(PoolEvent.Left.class));
            assertFalse(kept.isAnswered() || queued.isAnswered());

            living.answerNext("kept");
            living.answerNext("queued");
            kept.assertResponse("kept");
            queued.assertResponse("queued");
        }
    }

    @Test
    void keepsTheResponsesThatCameBeforeItsEnd() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker dying = pool.join(2)) {
            TestExchange answered = pool.get("/0");
            TestExchange lost = pool.get("/1");
            Message.Request first = dying.request();
            dying.request();
            dying.answer(first, "last words");
            dying.die();
            answered.assertResponse("last words");
            lost.assertFailed(502, "worker_lost");
        }
    }

    @Test
    void keepsTheResponsesOfAWorkerThatWentWhileItWasWrittenTo() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker dying = pool.join(2)) {
            TestExchange answered = pool.get("/0");
            TestExchange unread = pool.post("/1", largeBody());
            Message.Request first = dying.request();
            // In one turn, so that the core finds out when it goes on writing.
            TestLoops.on(
                    pool.pool.loop(),
                    () -> {
                        try {
                            dying.answer(first, "last words");
                            dying.die();
                        } catch (IOException impossible) {
                            throw new AssertionError(impossible);
                        }
                        return true;
                    });
            answered.assertResponse("last words");
            pool.events.await(PoolEvent.Left.class);
            assertEquals(1, pool.snapshot().queued());
            assertFalse(unread.isAnswered());
        }
    }

    @Test
    void losesARequestThatWasWrittenWhole() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker dying = pool.join(1);
                TestWorker living = pool.join(1)) {
            TestExchange post = pool.post("/", Body.utf8("written whole, and perhaps read"));
            pool.loops.awaitIdle();
            // It never read a byte of it: the core cannot know.
            dying.die();
            post.assertFailed(502, "worker_lost");
            pool.loops.awaitIdle();
            assertFalse(living.hasMessage());
        }
    }

    @Test
    void replaysARequestThatWasNotWrittenWhole() throws IOException {
        Body body = largeBody();
        try (TestPool pool = TestPool.start();
                TestWorker dying = pool.join(2)) {
            TestExchange small = pool.get("/small");
            TestExchange large = pool.post("/large", body);
            TestExchange behind = pool.post("/behind", Body.utf8("x"));
            pool.loops.awaitIdle();
            dying.die();
            small.assertFailed(502, "worker_lost");
            assertEquals(1, pool.events.await(PoolEvent.Left.class).lost());

            try (TestWorker living = pool.join(2)) {
                var first = living.request();
                assertEquals("/large", first.target());
                assertEquals(body, first.body());
                living.answer(first, "large");
                var second = living.request();
                assertEquals("/behind", second.target());
                living.answer(second, "behind");
            }
            large.assertResponse("large");
            behind.assertResponse("behind");
        }
    }

    @Test
    void replaysInTheOrderTheyCame() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker dying = pool.join(20)) {
            pool.post("/0", largeBody());
            for (int i = 1; i < 20; i++) {
                pool.get("/" + i);
            }
            pool.loops.awaitIdle();
            dying.die();
            pool.events.await(PoolEvent.Left.class);
            try (TestWorker living = pool.join(20)) {
                for (int i = 0; i < 20; i++) {
                    assertEquals("/" + i, living.request().target());
                }
            }
        }
    }

    @Test
    void aWorkerThatReadsNothingIsStuckAndItsRequestReplayed() throws IOException {
        Body body = largeBody();
        try (TestPool pool = TestPool.start();
                TestWorker deaf = pool.join(1)) {
            TestExchange exchange = pool.post("/", body);
            pool.loops.awaitIdle();
            pool.advance(PoolLimits.DEFAULT.writeTimeout());
            assertEquals(
                    new PoolEvent.Left("default-external-1", LeaveReason.STUCK, 0),
                    pool.events.await(PoolEvent.Left.class));
            try (TestWorker living = pool.join(1)) {
                living.answerNext("replayed");
                exchange.assertResponse("replayed");
            }
            assertEquals(1, exchange.responses());
            deaf.remaining();
        }
    }

    @Test
    void aReplayedRequestMayStillExpire() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker dying = pool.join(1)) {
            TestExchange exchange = pool.post("/", largeBody());
            pool.loops.awaitIdle();
            dying.die();
            pool.events.await(PoolEvent.Left.class);
            pool.advance(PoolLimits.DEFAULT.queueTimeout());
            exchange.assertFailed(503, "no_worker");
        }
    }

    private static Body largeBody() {
        byte[] bytes = new byte[LARGE_BYTES];
        new Random(1).nextBytes(bytes);
        return Body.of(bytes);
    }
}

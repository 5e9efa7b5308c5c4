package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a pool tells of a request on the way. */
final class RequestProgressTest {
    private static final Duration WAIT = Duration.ofMillis(30);
    private static final Duration WORK = Duration.ofMillis(500);

    @Test
    void tellsOfWhatNoPoolGotNothing() throws IOException {
        try (TestPool pool = TestPool.start()) {
            assertNull(RequestProgress.of(TestExchange.get(pool.clientLoop(), "/")));
        }
    }

    @Test
    void waitsUntilAWorkerHasItAndIsHandledUntilTheResponse() throws IOException {
        try (TestPool pool = TestPool.start()) {
            TestExchange exchange = pool.get("/");
            RequestProgress progress = of(exchange);
            pool.advance(WAIT);
            assertProgress(null, WAIT, Duration.ZERO, progress, pool);
            try (TestWorker worker = pool.join(1)) {
                Message.Request request = worker.request();
                pool.advance(WORK);
                assertProgress("default-external-1", WAIT, WORK, progress, pool);
                worker.answer(request, "");
                exchange.response();
                pool.advance(WORK);
                assertProgress("default-external-1", WAIT, WORK, progress, pool);
            }
        }
    }

    @Test
    void waitsAgainWhenItsWorkerGaveItBack() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            RequestProgress progress = of(pool.get("/"));
            Message.Request request = worker.request();
            worker.send(new Message.Capacity(0));
            pool.advance(WORK);
            worker.send(new Message.Failure(request.id(), "not now", true));
            pool.events.await(PoolEvent.GivenBack.class);
            // Told in the middle of a turn: the rest of it has to be over.
            pool.loops.awaitIdle();
            assertProgress(null, WORK, Duration.ZERO, progress, pool);
            worker.send(new Message.Capacity(1));
            worker.request();
            assertProgress("default-external-1", WORK, Duration.ZERO, progress, pool);
        }
    }

    @Test
    void waitsNoLongerThanItIsWanted() throws IOException {
        try (TestPool pool = TestPool.start()) {
            TestExchange exchange = pool.get("/");
            pool.advance(WAIT);
            exchange.abandon(Abandonment.CLIENT_GONE);
            pool.loops.awaitIdle();
            pool.advance(WORK);
            assertProgress(null, WAIT, Duration.ZERO, of(exchange), pool);
        }
    }

    @Test
    void namesTheWorkerThatWasLostWithIt() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            worker.request();
            pool.advance(WORK);
            worker.die();
            exchange.assertFailed(502, "worker_lost");
            pool.advance(WORK);
            assertProgress("default-external-1", Duration.ZERO, WORK, of(exchange), pool);
        }
    }

    private static RequestProgress of(TestExchange exchange) {
        return Objects.requireNonNull(RequestProgress.of(exchange));
    }

    private static void assertProgress(
            @Nullable String worker,
            Duration wait,
            Duration handling,
            RequestProgress progress,
            TestPool pool) {
        long now = pool.clientLoop().clock().nanoTime();
        assertEquals("default", progress.pool());
        assertEquals(worker, progress.worker());
        assertEquals(wait.toNanos(), progress.waitNanos(now));
        assertEquals(handling.toNanos(), progress.handlerNanos(now));
    }
}

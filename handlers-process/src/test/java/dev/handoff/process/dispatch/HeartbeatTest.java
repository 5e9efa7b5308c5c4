package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class HeartbeatTest {
    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final Duration PONG_TIMEOUT = Duration.ofSeconds(5);

    @Test
    void asksAnIdleWorkerEachInterval() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            for (int i = 0; i < 3; i++) {
                pool.advance(INTERVAL.minusNanos(1));
                assertFalse(worker.hasMessage());
                pool.advance(Duration.ofNanos(1));
                worker.expect(Message.Ping.class);
                worker.send(new Message.Pong(), unknownResponse());
                // The pong has been read when the response behind it has.
                pool.events.await(PoolEvent.UnknownResponse.class);
            }
            assertEquals(1, pool.snapshot().workers().size());
        }
    }

    @Test
    void aWorkerThatDoesNotAnswerIsStuck() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            pool.advance(INTERVAL);
            worker.expect(Message.Ping.class);
            pool.advance(PONG_TIMEOUT.minusNanos(1));
            assertEquals(1, pool.snapshot().workers().size());
            pool.advance(Duration.ofNanos(1));
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
            assertTrue(worker.remaining().isEmpty());
        }
    }

    @Test
    void doesNotDisturbABusyWorker() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            Message.Request request = worker.request();
            for (int i = 0; i < 10; i++) {
                pool.advance(INTERVAL);
            }
            assertFalse(worker.hasMessage());
            worker.answer(request, "at last");
            exchange.assertResponse("at last");
            pool.advance(INTERVAL);
            worker.expect(Message.Ping.class);
        }
    }

    @Test
    void doesNotDisturbAWorkerThatIsNotReady() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(0)) {
            for (int i = 0; i < 3; i++) {
                pool.advance(INTERVAL);
            }
            assertFalse(worker.hasMessage());
            assertEquals(1, pool.snapshot().workers().size());
        }
    }

    @Test
    void aRequestAfterThePingIsAsGoodAsAPong() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            pool.advance(INTERVAL);
            worker.expect(Message.Ping.class);
            TestExchange exchange = pool.get("/");
            Message.Request request = worker.request();
            pool.advance(PONG_TIMEOUT.multipliedBy(2));
            worker.answer(request, "busy");
            exchange.assertResponse("busy");
        }
    }

    private static Message unknownResponse() {
        return new Message.Failure(Message.MAX_ID, "nobody asked", false);
    }
}

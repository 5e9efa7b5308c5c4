package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.loop.TurnedLoop;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.RecordingListener;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.protocol.RequestFrame;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue without a worker, on a loop that the test turns. */
final class QueueAdmissionTest {
    private static final Duration GRACE = PoolLimits.DEFAULT.noWorkerGrace();
    private static final int MOST = 3;

    private final RequestFrame.Encoder encoder = new RequestFrame.Encoder();
    private final RecordingListener events = new RecordingListener();
    private final List<TestExchange> exchanges = new ArrayList<>();
    private TurnedLoop turned;
    private PoolLimits limits = TestPool.queueOf(MOST, Long.MAX_VALUE);
    private RequestQueue queue;
    private QueueAdmission admission;

    @BeforeEach
    void open() throws IOException {
        turned = new TurnedLoop();
        Overload overload = new Overload(limits.queueTimeout().toNanos(), overloaded -> {});
        queue =
                new RequestQueue(
                        limits.queueBytes(), overload, () -> true, turned.clock.nanoTime());
        admission =
                new QueueAdmission(turned.loop, queue, new WorkerChoice(), () -> limits, events);
    }

    @AfterEach
    void close() {
        turned.close();
    }

    @Test
    void oneTimerWatchesHoweverManyWait() {
        for (int i = 0; i < MOST; i++) {
            admission.enqueue(request(), false);
        }
        assertEquals(1, turned.timerCount());
    }

    @Test
    void turnsOutOnlyWhoHasWaitedForTheGraceAndAwaitsTheNextOne() {
        admission.enqueue(request(), false);
        turned.advance(Duration.ofNanos(1));
        admission.enqueue(request(), false);
        turned.advance(GRACE.minusNanos(1));
        exchanges.getFirst().assertFailed(503, "no_worker");
        assertFalse(exchanges.getLast().isAnswered());

        turned.advance(Duration.ofNanos(1));
        exchanges.getLast().assertFailed(503, "no_worker");
        assertTrue(queue.isEmpty());
        assertEquals(0, turned.timerCount());
    }

    @Test
    void countsTheGraceFromWhenTheLastWorkerLeft() {
        admission.enqueue(request(), false);
        turned.advance(GRACE.minusNanos(1));
        admission.presenceChanged();
        turned.advance(GRACE.minusNanos(1));
        assertFalse(exchanges.getFirst().isAnswered());
        turned.advance(Duration.ofNanos(1));
        exchanges.getFirst().assertFailed(503, "no_worker");
    }

    @Test
    void oneMoreThanTheLimitTakesThePlaceOfTheOldest() {
        for (int i = 0; i < MOST; i++) {
            admission.enqueue(request(), false);
        }
        assertFalse(exchanges.getFirst().isAnswered());
        admission.enqueue(request(), false);
        exchanges.getFirst().assertFailed(503, "queue_full");
        assertEquals(MOST, queue.size());
    }

    @Test
    void followsTheLimitOfTheMoment() {
        assertEquals(MOST, admission.mostRequests());
        limits = TestPool.queueOf(0, Long.MAX_VALUE);
        assertEquals(limits.queueRequests(0), admission.mostRequests());
    }

    @Test
    void tellsHowLongTheOldestHasWaited() {
        assertEquals(0, admission.oldestWaitNanos());
        admission.enqueue(request(), false);
        turned.advance(Duration.ofNanos(7));
        admission.enqueue(request(), false);
        assertEquals(7, admission.oldestWaitNanos());
    }

    @Test
    void closedItTurnsOutAllAndLetsNobodyIn() {
        admission.enqueue(request(), false);
        admission.close();
        exchanges.getFirst().assertFailed(503, "draining");
        assertEquals(0, turned.timerCount());

        admission.enqueue(request(), false);
        exchanges.get(1).assertFailed(503, "draining");
        admission.putBack(request());
        exchanges.get(2).assertFailed(503, "draining");
        assertTrue(queue.isEmpty());
        assertEquals(3, events.heard(PoolEvent.Rejected.class).size());
    }

    private WorkerRequest request() {
        TestExchange exchange = TestExchange.of(turned.loop, "POST", "/", Body.EMPTY);
        exchanges.add(exchange);
        return new WorkerRequest(
                "default",
                new PoolLoad(),
                exchange,
                encoder.encode(exchange.request(), "client", "http", null, "", null, null),
                false,
                exchange.arrivedNanos(),
                exchange.deadlineNanos());
    }
}

package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.TestExchange;
import dev.handoff.process.protocol.RequestFrame;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RequestQueueTest {
    private static final int ROOMY = 1000;
    private static final long TIMEOUT = 1000;

    /** The longest wait of the oldest that is no overload. */
    private static final long LONG_WAIT = TIMEOUT / 10;

    private final RequestFrame.Encoder encoder = new RequestFrame.Encoder();
    private final List<WorkerRequest> evicted = new ArrayList<>();
    private final List<Rejection> reasons = new ArrayList<>();
    private final List<Boolean> changes = new ArrayList<>();
    private boolean workersBusy = true;
    private TestLoops loops;

    @BeforeEach
    void startLoop() throws IOException {
        loops = new TestLoops(1);
    }

    @AfterEach
    void stopLoop() {
        loops.close();
    }

    @Test
    void servesFirstWhoCameFirst() {
        RequestQueue queue = queue();
        List<WorkerRequest> offered = offer(queue, 3);
        assertEquals(offered, served(queue, LONG_WAIT));
        assertEquals(List.of(), changes);
    }

    @Test
    void servesLastWhoCameFirstWhenTheOldestHasWaitedLong() {
        RequestQueue queue = queue();
        List<WorkerRequest> offered = offer(queue, 3);
        assertEquals(offered.reversed(), served(queue, LONG_WAIT + 1));
        assertEquals(List.of(true, false), changes);
    }

    @Test
    void anOverloadLastsUntilTheQueueIsEmpty() {
        RequestQueue queue = queue();
        List<WorkerRequest> first = offer(queue, 2);
        assertTrue(queue.isOverloaded(LONG_WAIT + 1));
        List<WorkerRequest> fresh = List.of(request(0), request(0));
        fresh.forEach(request -> queue.offer(request, false, ROOMY, LONG_WAIT + 1, this::evicted));

        first.forEach(queue::remove);
        assertTrue(queue.isOverloaded(LONG_WAIT + 1));
        assertSame(fresh.getLast(), queue.next(LONG_WAIT + 1));
        fresh.forEach(queue::remove);
        assertFalse(queue.isOverloaded(LONG_WAIT + 1));
        assertEquals(offer(queue, 2), served(queue, 0));
    }

    @Test
    void aSingleRequestIsNoOverloadHoweverLongItWaits() {
        RequestQueue queue = queue();
        WorkerRequest first = offer(queue, 1).getFirst();
        assertFalse(queue.isOverloaded(LONG_WAIT + 1));
        assertNull(queue.offer(request(0), false, ROOMY, LONG_WAIT + 1, this::evicted));
        assertTrue(queue.isOverloaded(LONG_WAIT + 1));
        queue.remove(first);
        assertEquals(List.of(true), changes);
    }

    @Test
    void aWaitForTheFirstWorkerIsNoOverload() {
        RequestQueue queue = queue();
        queue.workersPresent(false, 0);
        List<WorkerRequest> offered = offer(queue, 2);
        assertFalse(queue.isOverloaded(LONG_WAIT + 1));
        queue.workersPresent(true, 2 * LONG_WAIT);
        assertSame(offered.getFirst(), queue.next(3 * LONG_WAIT));
        assertSame(offered.getLast(), queue.next(3 * LONG_WAIT + 1));
    }

    @Test
    void aFullQueueGivesUpItsOldestAndIsInOverload() {
        RequestQueue queue = queue();
        List<WorkerRequest> offered = offer(queue, 2);
        WorkerRequest newcomer = request(0);
        assertFalse(queue.isOverloaded(0));
        assertNull(queue.offer(newcomer, false, 2, 0, this::evicted));

        assertEquals(List.of(offered.getFirst()), evicted);
        assertEquals(List.of(Rejection.QUEUE_FULL), reasons);
        assertTrue(queue.isOverloaded(0));
        assertEquals(2, queue.size());
        assertEquals(List.of(newcomer, offered.getLast()), served(queue, 0));
    }

    @Test
    void takesAsManyBytesAsTheLimitAndGivesUpAsManyOfTheOldestAsItTakes() {
        WorkerRequest small = request(10);
        WorkerRequest second = request(20);
        WorkerRequest large = request(100);
        long exact = small.queuedBytes + second.queuedBytes;

        RequestQueue queue = queue(exact);
        assertNull(queue.offer(small, false, ROOMY, 0, this::evicted));
        assertNull(queue.offer(second, false, ROOMY, 0, this::evicted));
        assertEquals(exact, queue.bytes());
        assertNull(queue.offer(large, false, ROOMY, 0, this::evicted));
        assertEquals(List.of(small, second), evicted);
        assertEquals(List.of(Rejection.QUEUE_BYTES, Rejection.QUEUE_BYTES), reasons);
        assertEquals(large.queuedBytes, queue.bytes());
    }

    @Test
    void refusesWhatIsLargerThanTheLimitAndGivesUpNobodyForIt() {
        WorkerRequest small = request(0);
        WorkerRequest large = request(50);
        RequestQueue queue = queue(large.queuedBytes - 1);
        assertNull(queue.offer(small, false, ROOMY, 0, this::evicted));
        assertEquals(Rejection.QUEUE_BYTES, queue.offer(large, false, ROOMY, 0, this::evicted));
        assertEquals(1, queue.size());
        assertEquals(List.of(), evicted);
        assertFalse(queue.isOverloaded(0));
    }

    @Test
    void letsOneThatIsLargerThanTheLimitWaitAlone() {
        WorkerRequest large = request(50);
        RequestQueue queue = queue(large.queuedBytes - 1);
        assertNull(queue.offer(large, false, ROOMY, 0, this::evicted));
        assertEquals(1, queue.size());
        WorkerRequest small = request(0);
        assertNull(queue.offer(small, false, ROOMY, 0, this::evicted));
        assertEquals(List.of(large), evicted);
    }

    @Test
    void letsNobodyWaitWhereTheLimitIsNoByte() {
        RequestQueue queue = queue(0);
        assertEquals(
                Rejection.QUEUE_BYTES, queue.offer(request(0), false, ROOMY, 0, this::evicted));
        assertTrue(queue.isEmpty());
    }

    /** As behind an upload that a worker is still reading, though its window has room. */
    @Test
    void aWaitForAWorkerThatIsNotBusyIsNoOverload() {
        RequestQueue queue = queue();
        workersBusy = false;
        WorkerRequest first = request(0);
        assertNull(queue.offer(first, false, ROOMY, 1, this::evicted));
        assertNull(queue.offer(request(0), false, ROOMY, 1, this::evicted));
        assertSame(first, queue.next(LONG_WAIT + 2));
        assertFalse(queue.isOverloaded(LONG_WAIT + 2));

        workersBusy = true;
        WorkerRequest second = request(0);
        assertNull(queue.offer(second, false, ROOMY, LONG_WAIT + 2, this::evicted));
        assertTrue(queue.isOverloaded(LONG_WAIT + 2));
        assertSame(second, queue.next(LONG_WAIT + 2));
    }

    @Test
    void whatIsGivenBackHasRoomWhateverTheLimitsAndIsNotDisplaced() {
        WorkerRequest waiting = request(0);
        RequestQueue queue = queue(2L * waiting.queuedBytes);
        assertNull(queue.offer(waiting, false, 1, 0, this::evicted));
        WorkerRequest returned = request(5);
        queue.putBack(returned, 0);
        assertEquals(2, queue.size());
        assertEquals(waiting.queuedBytes + returned.queuedBytes, queue.bytes());

        assertEquals(Rejection.QUEUE_FULL, queue.offer(request(0), false, 1, 0, this::evicted));
        assertEquals(List.of(), evicted);
        assertSame(returned, queue.returned().getFirst().oldest());
        assertSame(waiting, queue.next(0));
    }

    @Test
    void whatIsPutFirstWaitsAnewBeforeFreshOnes() {
        RequestQueue queue = queue();
        List<WorkerRequest> offered = offer(queue, 3);
        WorkerRequest first = offered.get(1);
        queue.putFirst(first, 7);
        queue.putFirst(first, 8);
        assertEquals(3, queue.size());
        assertSame(first, queue.returned().getFirst().oldest());
        assertEquals(7, first.queuedNanos);
        queue.remove(first);
        queue.putFirst(first, 9);
        assertEquals(List.of(), queue.returned());
        assertEquals(List.of(offered.get(0), offered.get(2)), served(queue, 0));
    }

    @Test
    void theOldestOfAllIsTheOneThatHasWaitedLongest() {
        RequestQueue queue = queue();
        WorkerRequest returned = request(0);
        queue.putBack(returned, 1);
        WorkerRequest newcomer = request(0);
        queue.offer(newcomer, false, ROOMY, 2, this::evicted);
        assertSame(returned, queue.oldest());
        queue.remove(returned);
        assertSame(newcomer, queue.oldest());
        assertEquals(List.of(), queue.returned());
        queue.remove(newcomer);
        assertNull(queue.oldest());
    }

    @Test
    void anyoneMayLeaveAtOnceAndOnlyOnce() {
        RequestQueue queue = queue();
        List<WorkerRequest> offered = offer(queue, 5);
        for (int index : new int[] {2, 3, 0}) {
            WorkerRequest leaving = offered.remove(index);
            queue.remove(leaving);
            queue.remove(leaving);
        }
        assertEquals(2, queue.size());
        assertEquals(offered, served(queue, 0));
        assertEquals(0, queue.bytes());
        assertTrue(queue.isEmpty());
    }

    @Test
    void whatOnlySomeWorkersTakeWaitsInOneOrderWithTheOthers() {
        RequestQueue queue = queue();
        WorkerRequest first = offerAt(queue, 1, false);
        WorkerRequest second = offerAt(queue, 2, true);
        WorkerRequest third = offerAt(queue, 3, false);
        WorkerRequest fourth = offerAt(queue, 4, true);
        assertSame(first, queue.next(4));
        assertSame(second, queue.nextOfTheOthers(first));
        assertSame(fourth, queue.next(LONG_WAIT + 2));
        assertSame(third, queue.nextOfTheOthers(fourth));

        assertNull(queue.offer(request(0), true, 4, 5, this::evicted));
        assertNull(queue.offer(request(0), true, 4, 6, this::evicted));
        assertEquals(List.of(first, second), evicted);
        queue.remove(third);
        assertFalse(queue.hasFresh(false));
        assertTrue(queue.hasFresh(true));
        assertNull(queue.nextOfTheOthers(fourth));
        assertTrue(queue.isOverloaded(6));
        assertEquals(3, served(queue, 6).size());
        assertFalse(queue.isOverloaded(6));
    }

    @Test
    void neitherKindPushesTheOtherOut() {
        RequestQueue queue = queue();
        WorkerRequest simple = offerAt(queue, 1, false);
        List<WorkerRequest> demanding = new ArrayList<>();
        for (int i = 2; i < 8; i++) {
            demanding.add(request(0));
            assertNull(queue.offer(demanding.getLast(), true, 4, i, this::evicted));
        }
        assertEquals(demanding.subList(0, 3), evicted);

        evicted.clear();
        WorkerRequest next = request(0);
        assertNull(queue.offer(next, false, 4, 8, this::evicted));
        assertNull(queue.offer(request(0), false, 4, 9, this::evicted));
        assertNull(queue.offer(request(0), false, 4, 10, this::evicted));
        assertEquals(List.of(demanding.get(3), simple, demanding.get(4)), evicted);
    }

    @Test
    void whatAnyWorkerTakesByNowWaitsWithTheOthers() {
        RequestQueue queue = queue();
        WorkerRequest first = offerAt(queue, 1, true);
        WorkerRequest hasCome = offerAt(queue, 2, true);
        WorkerRequest simple = offerAt(queue, 3, false);
        queue.anyWorkerTakes(hasCome, 4);
        queue.anyWorkerTakes(hasCome, 5);
        assertEquals(3, queue.size());
        assertSame(first, queue.next(5));
        assertSame(simple, queue.nextOfTheOthers(first));
        queue.remove(simple);
        assertSame(hasCome, queue.nextOfTheOthers(first));
        assertEquals(4, hasCome.queuedNanos);
        queue.remove(hasCome);
        queue.anyWorkerTakes(hasCome, 6);
        assertEquals(1, queue.size());
    }

    private WorkerRequest offerAt(RequestQueue queue, long nowNanos, boolean isDemanding) {
        WorkerRequest request = request(0);
        assertNull(queue.offer(request, isDemanding, ROOMY, nowNanos, this::evicted));
        return request;
    }

    private RequestQueue queue() {
        return queue(Long.MAX_VALUE);
    }

    private RequestQueue queue(long maxBytes) {
        Overload overload = new Overload(TIMEOUT, changes::add);
        RequestQueue queue = new RequestQueue(maxBytes, overload, () -> workersBusy, 0);
        queue.workersPresent(true, 0);
        return queue;
    }

    private List<WorkerRequest> offer(RequestQueue queue, int count) {
        List<WorkerRequest> offered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            WorkerRequest request = request(i);
            assertNull(queue.offer(request, false, ROOMY, 0, this::evicted));
            offered.add(request);
        }
        return offered;
    }

    private void evicted(WorkerRequest request, Rejection why) {
        evicted.add(request);
        reasons.add(why);
    }

    private static List<WorkerRequest> served(RequestQueue queue, long nowNanos) {
        List<WorkerRequest> served = new ArrayList<>();
        WorkerRequest next = queue.next(nowNanos);
        while (next != null) {
            queue.remove(next);
            served.add(next);
            next = queue.next(nowNanos);
        }
        return served;
    }

    private WorkerRequest request(int bodyBytes) {
        EventLoop loop = loops.first();
        TestExchange exchange = TestExchange.of(loop, "POST", "/", Body.of(new byte[bodyBytes]));
        return new WorkerRequest(
                "default",
                new PoolLoad(),
                exchange,
                encoder.encode(exchange.request(), "client", "http", null, "", null, null),
                false,
                0,
                0);
    }
}

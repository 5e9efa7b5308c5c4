package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.FrameEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RequestQueueTest {
    private static final int ROOMY = 1000;

    private final FrameEncoder encoder = new FrameEncoder();
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
    void takesAsManyAsTheLimitAndNotOneMore() {
        RequestQueue queue = new RequestQueue(Long.MAX_VALUE);
        assertTrue(queue.offer(request(0), 2));
        assertTrue(queue.offer(request(0), 2));
        assertFalse(queue.offer(request(0), 2));
        assertEquals(2, queue.size());
    }

    @Test
    void takesAsManyBytesAsTheLimitAndNotOneMore() {
        PoolRequest first = request(10);
        PoolRequest second = request(20);
        long both = (long) first.frame.sizeBytes() + second.frame.sizeBytes();

        RequestQueue exact = new RequestQueue(both);
        assertTrue(exact.offer(first, ROOMY));
        assertTrue(exact.offer(second, ROOMY));
        assertEquals(both, exact.bytes());

        RequestQueue oneLess = new RequestQueue(both - 1);
        assertTrue(oneLess.offer(first, ROOMY));
        assertFalse(oneLess.offer(second, ROOMY));
        assertEquals(first.frame.sizeBytes(), oneLess.bytes());
    }

    @Test
    void givesBackTheBytesOfWhatLeaves() {
        RequestQueue queue = new RequestQueue(Long.MAX_VALUE);
        PoolRequest first = request(10);
        PoolRequest second = request(20);
        queue.offer(first, ROOMY);
        queue.offer(second, ROOMY);

        queue.remove(first);
        queue.remove(first);
        assertEquals(second.frame.sizeBytes(), queue.bytes());
        assertSame(second, queue.first());
        queue.remove(second);
        assertEquals(0, queue.bytes());
        assertTrue(queue.isEmpty());
    }

    @Test
    void putsBackAtTheFrontWhateverTheLimits() {
        RequestQueue queue = new RequestQueue(request(0).frame.sizeBytes());
        PoolRequest waiting = request(0);
        PoolRequest returned = request(5);
        assertTrue(queue.offer(waiting, 1));
        queue.putFirst(returned);

        assertSame(returned, queue.first());
        assertEquals(2, queue.size());
        assertEquals(waiting.frame.sizeBytes() + returned.frame.sizeBytes(), queue.bytes());
    }

    @Test
    void drainsOldestFirst() {
        RequestQueue queue = new RequestQueue(Long.MAX_VALUE);
        List<PoolRequest> offered = List.of(request(1), request(2), request(3));
        offered.forEach(request -> queue.offer(request, ROOMY));

        List<PoolRequest> drained = new ArrayList<>();
        queue.drainTo(drained::add);
        assertEquals(offered, drained);
        assertEquals(0, queue.bytes());
    }

    private PoolRequest request(int bodyBytes) {
        EventLoop loop = loops.first();
        TestExchange exchange = TestExchange.of(loop, "POST", "/", Body.of(new byte[bodyBytes]));
        return new PoolRequest(
                exchange, encoder.encodeRequest(exchange.request(), "client", null), 0, 0);
    }
}

package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.WholeMessages;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a worker tells of itself where the core cannot look. */
class ToldTest {
    @Test
    void showsTheHostThatTheWorkerTold() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(helloFrom("web-1\u001b[2J"));
            worker.expect(Message.Welcome.class);
            assertEquals("web-1\ufffd[2J", pool.snapshot().workers().getFirst().host());
        }
    }

    @Test
    void showsTheMemoryThatAWorkerFromElsewhereTells() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = pool.join(1)) {
            assertEquals("", pool.snapshot().workers().getFirst().host());
            assertEquals(0, pool.snapshot().workers().getFirst().memoryBytes());
            worker.send(new Message.Capacity(2, 50 << 20));
            awaitWindow(pool, 2);
            assertEquals(50 << 20, pool.snapshot().workers().getFirst().memoryBytes());
            worker.send(new Message.Capacity(3));
            awaitWindow(pool, 3);
            assertEquals(50 << 20, pool.snapshot().workers().getFirst().memoryBytes());
        }
    }

    private static void awaitWindow(TestPool pool, int concurrency) {
        while (pool.snapshot().workers().getFirst().concurrency() != concurrency) {
            pool.loops.awaitIdle();
        }
    }

    private static Message.Hello helloFrom(String host) {
        return WholeMessages.hello(
                1, Message.Hello.DEFAULT_POOL, null, null, 0, host, null, null, 1, List.of(), 0);
    }
}

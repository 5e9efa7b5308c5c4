package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.join.WorkerSocket;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A listener with a bug costs no request, no worker and no listener, and the bug is told. */
final class ThrowingListenerTest {
    private static final PoolListener THROWING =
            (PoolListener)
                    Proxy.newProxyInstance(
                            PoolListener.class.getClassLoader(),
                            new Class<?>[] {PoolListener.class},
                            (proxy, method, arguments) -> {
                                throw new IllegalStateException(method.getName());
                            });

    @TempDir private Path folder;

    @Test
    void costsNobodyElse() throws IOException {
        try (TestLoops loops = new TestLoops(1)) {
            RecordingListener other = new RecordingListener();
            WorkerPool pool =
                    new WorkerPool(
                            "default",
                            loops.first(),
                            PoolLimits.DEFAULT,
                            List.of(THROWING, other),
                            "test");
            Path path = folder.resolve("s");
            WorkerSocket socket = WorkerSocket.open(path, List.of(pool.entrance()), loops.first());
            try (TestWorker worker = TestWorker.connect(path);
                    TestWorker stranger = TestWorker.connect(path)) {
                TestExchange early = submit(pool);
                worker.send(TestWorker.hello(0), new Message.Capacity(2));
                worker.expect(Message.Welcome.class);
                worker.answerNext("early");
                early.assertResponse("early");
                assertEquals(1, other.heard(PoolEvent.Answered.class).size());

                stranger.send(new Message.Pong());
                assertEquals(1, stranger.remaining().size());

                TestExchange failing = submit(pool);
                worker.send(new Message.Failure(worker.request().id(), "no", false));
                failing.assertFailed(500, "handler_failed");

                List<TestExchange> lost = List.of(submit(pool), submit(pool));
                worker.request();
                worker.request();
                worker.die();
                for (TestExchange exchange : lost) {
                    exchange.assertFailed(502, "worker_lost");
                }
                TestExchange refused = submit(pool);
                TestLoops.await(pool.drain());
                refused.assertFailed(503, "draining");
            }
            TestLoops.await(socket.close());
            loops.awaitIdle();
            assertFalse(loops.takeFailures().isEmpty());
        }
    }

    private static TestExchange submit(WorkerPool pool) {
        TestExchange exchange = TestExchange.get(pool.loop(), "/");
        return TestLoops.on(
                pool.loop(),
                () -> {
                    pool.handler().handle(exchange);
                    return exchange;
                });
    }
}

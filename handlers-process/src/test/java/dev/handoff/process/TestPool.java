package dev.handoff.process;

import dev.handoff.http.Body;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.dispatch.Dialect;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.join.WorkerAccount;
import dev.handoff.process.join.WorkerSocket;
import dev.handoff.process.supervise.ProcessStarter;
import dev.handoff.process.supervise.RecycleLimits;
import dev.handoff.process.supervise.WorkerCommand;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerLimits;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A pool with its socket, ready for workers. Clients and the socket live on the first of two loops,
 * the pool on the second, unless one loop is asked for.
 */
public final class TestPool implements AutoCloseable {
    private static final ServerLimits USUAL = ServerLimits.DEFAULT;

    public final TestLoops loops;
    public final RecordingListener events = new RecordingListener();
    private final Tally tally = new Tally();
    public final WorkerPool pool;
    public final Path path;
    private final Path folder;
    private final WorkerSocket socket;
    private final List<TestExchange> submitted = new ArrayList<>();
    private boolean supervised;

    private TestPool(int loopCount, Dialect dialect, PoolLimits limits, ResponseRoom room)
            throws IOException {
        folder = Files.createTempDirectory("pool");
        path = folder.resolve("s");
        loops = new TestLoops(loopCount);
        pool =
                new WorkerPool(
                        "default",
                        WorkerAccount.Visitors.VISITORS,
                        loops.last(),
                        dialect,
                        limits,
                        room,
                        List.of(events, tally),
                        "handoff/test");
        socket = WorkerSocket.open(path, List.of(pool.entrance()), loops.first());
    }

    public static TestPool start() throws IOException {
        return start(PoolLimits.DEFAULT);
    }

    public static TestPool start(PoolLimits limits) throws IOException {
        return new TestPool(2, Dialect.FRAMES, limits, USUAL.newResponseRoom());
    }

    /** One whose workers share the room for responses with the test. */
    public static TestPool start(ResponseRoom room) throws IOException {
        return new TestPool(2, Dialect.FRAMES, PoolLimits.DEFAULT, room);
    }

    /** One whose workers are HTTP servers. */
    public static TestPool startOfServers(PoolLimits limits) throws IOException {
        return new TestPool(2, Dialect.HTTP, limits, USUAL.newResponseRoom());
    }

    /** One whose workers are HTTP servers, and share the room for responses with the test. */
    public static TestPool startOfServers(ResponseRoom room) throws IOException {
        return new TestPool(2, Dialect.HTTP, PoolLimits.DEFAULT, room);
    }

    public static TestPool startOnOneLoop() throws IOException {
        return new TestPool(1, Dialect.FRAMES, PoolLimits.DEFAULT, USUAL.newResponseRoom());
    }

    /** The default limits, but for the queue. */
    public static PoolLimits queueOf(int requests, long bytes) {
        PoolLimits usual = PoolLimits.DEFAULT;
        return new PoolLimits(
                requests,
                bytes,
                usual.queueTimeout(),
                usual.noWorkerGrace(),
                usual.cancelGrace(),
                usual.writeTimeout(),
                usual.fromWorker());
    }

    /** Has the pool start its own workers; they are ended with it. */
    public void supervise(List<String> command, int count) {
        supervise(command, count, RecycleLimits.NONE);
    }

    public void supervise(List<String> command, int count, RecycleLimits recycling) {
        supervised = true;
        WorkerCommand workers = new WorkerCommand(command, Map.of(), path);
        pool.supervise(workers, count, recycling, Processes.STARTER);
    }

    public void supervise(List<String> command, ProcessStarter starter) {
        supervised = true;
        pool.supervise(new WorkerCommand(command, Map.of(), path), 1, starter);
    }

    /** Processes of which each ends before its successor starts. */
    public void superviseStoppingFirst(List<String> command, int count) {
        supervised = true;
        WorkerCommand workers =
                new WorkerCommand(command, Map.of(), path, null, true, false, null, null);
        pool.supervise(workers, count, RecycleLimits.NONE, Processes.STARTER);
    }

    /** Another pool at the same socket, with the default limits. */
    public WorkerPool second(String name) throws IOException {
        WorkerPool second =
                new WorkerPool(
                        name, loops.last(), PoolLimits.DEFAULT, List.of(events), "handoff/test");
        socket.serve(List.of(pool.entrance(), second.entrance()));
        return second;
    }

    public EventLoop clientLoop() {
        return loops.first();
    }

    /** A worker that is in the pool when this returns. */
    public TestWorker join(int concurrency) throws IOException {
        TestWorker worker = TestWorker.join(path, concurrency);
        events.await(PoolEvent.Joined.class);
        return worker;
    }

    public TestExchange get(String target) {
        return submit(TestExchange.get(clientLoop(), target));
    }

    public TestExchange post(String target, Body body) {
        return submit(TestExchange.of(clientLoop(), "POST", target, body));
    }

    /** The pool has taken it, one way or the other, when this returns. */
    public TestExchange submit(TestExchange exchange) {
        TestLoops.on(
                clientLoop(),
                () -> {
                    pool.handler().handle(exchange);
                    return true;
                });
        loops.awaitIdle();
        submitted.add(exchange);
        return exchange;
    }

    public void advance(Duration length) {
        loops.advance(length);
    }

    /** Asks the pool how it is doing until it is as wanted. */
    public void await(Predicate<PoolSnapshot> wanted) {
        long deadline = System.nanoTime() + TestLoops.PATIENCE.toNanos();
        PoolSnapshot snapshot = snapshot();
        while (!wanted.test(snapshot)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(snapshot);
            }
            snapshot = snapshot();
        }
    }

    /** How often the pool told of each outcome of a request. */
    public Tally.Counts told() {
        return TestLoops.on(pool.loop(), tally::counts);
    }

    public PoolSnapshot snapshot() {
        return TestLoops.await(pool.snapshot());
    }

    private void endProcesses() {
        for (TestExchange exchange : submitted) {
            if (!exchange.isAnswered()) {
                exchange.abandon(Abandonment.SERVER_STOPPED);
            }
        }
        CompletableFuture<Void> drained = pool.drain();
        long deadline = System.nanoTime() + TestLoops.PATIENCE.toNanos();
        while (!drained.isDone()) {
            advance(Duration.ofSeconds(1));
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("a process does not end: " + snapshot());
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (supervised) {
            endProcesses();
        }
        TestLoops.await(socket.close());
        loops.close();
        Files.delete(folder);
    }
}

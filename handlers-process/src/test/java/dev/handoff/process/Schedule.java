package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.TurnedLoop;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.join.Entrances;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** One pool, and the dice that play its clients, its workers and the clock. */
final class Schedule {
    private static final int MOST_WORKERS = 4;
    private static final int MOST_TURNS_TO_THE_END = 1000;
    private static final int LARGEST_BODY_BYTES = 20_000;
    private static final long[] PAUSES_MILLIS = {1, 30, 300, 1_001, 4_000, 6_000, 11_000};
    private static final List<String> METHODS = List.of("GET", "POST", "HEAD", "DELETE", "OPTIONS");

    private final Random random;
    private final TurnedLoop turned;
    private final EventLoop loop;
    private final SocketPairs sockets;
    private final PoolLimits limits;
    private final Tally tally = new Tally();
    private final WorkerPool pool;
    private final List<ScheduledExchange> exchanges = new ArrayList<>();
    private final List<ScheduledWorker> workers = new ArrayList<>();

    Schedule(Random random, TurnedLoop turned, SocketPairs sockets) {
        this.random = random;
        this.turned = turned;
        this.loop = turned.loop;
        this.sockets = sockets;
        this.limits =
                TestPool.queueOf(1 + random.nextInt(8), 3L * LARGEST_BODY_BYTES)
                        .withReplaySafeMethods(random.nextBoolean());
        this.pool = new WorkerPool("default", loop, limits, List.of(tally), "handoff/test");
    }

    void step() throws IOException {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> request(1 + random.nextInt(4));
            case 4 -> leave();
            case 5 -> join();
            case 6 -> pause();
            case 7, 8, 9 -> turn();
            case 10 -> assertSound();
            default -> {
                if (!workers.isEmpty()) {
                    workers.get(random.nextInt(workers.size())).act(random);
                }
            }
        }
        workers.removeIf(ScheduledWorker::isGone);
    }

    /** Drains the pool and expects that nothing is left of it. */
    void finish() throws IOException {
        CompletableFuture<Void> drained = pool.drain();
        boolean answering = random.nextBoolean();
        for (int turns = 0; !workers.isEmpty(); turns++) {
            assertTrue(turns < MOST_TURNS_TO_THE_END, "the workers do not leave");
            turn();
            for (ScheduledWorker worker : workers) {
                if (answering) {
                    worker.finish();
                } else {
                    worker.die();
                }
            }
            workers.removeIf(ScheduledWorker::isGone);
        }
        turn();
        assertSound();
        assertTrue(drained.isDone(), "not drained");
        for (ScheduledExchange exchange : exchanges) {
            assertTrue(exchange.isDone(), exchange + " has no response");
        }
        PoolSnapshot snapshot = snapshot();
        assertEquals(0, snapshot.inFlight());
        assertEquals(0, pool.load().requests());
        assertEquals(0, snapshot.queued());
        assertEquals(0, snapshot.queuedBytes());
        assertEquals(0, turned.timerCount(), "timers are left");
    }

    private void assertSound() {
        // What a turn does last, such as finding out that a worker has gone, shows in the next.
        turn();
        turn();
        PoolSnapshot snapshot = snapshot();
        Tally.Counts counts = tally.counts();
        assertEquals(
                counts.dispatched(),
                counts.answered()
                        + counts.answeredLate()
                        + counts.givenBack()
                        + counts.lost()
                        + snapshot.inFlight());
        assertTrue(snapshot.queued() <= snapshot.queueLimit() + counts.givenBack(), "too many");
        if (counts.givenBack() == 0) {
            assertTrue(snapshot.queuedBytes() <= limits.queueBytes(), "too large");
        }
        long wanted = exchanges.stream().filter(exchange -> !exchange.isDone()).count();
        assertTrue(snapshot.queued() <= wanted, "what nobody wants any more waits");
        assertEquals(tally.isOverloaded(), snapshot.overloaded());
    }

    private void request(int count) {
        for (int i = 0; i < count; i++) {
            String method = METHODS.get(random.nextInt(METHODS.size()));
            boolean empty = method.equals("GET") || random.nextBoolean();
            ScheduledExchange exchange =
                    new ScheduledExchange(
                            loop,
                            method,
                            "/" + exchanges.size(),
                            empty
                                    ? Body.EMPTY
                                    : Body.of(new byte[random.nextInt(LARGEST_BODY_BYTES)]),
                            limits.replaySafeMethods() && METHODS.indexOf(method) % 2 == 0);
            exchanges.add(exchange);
            loop.execute(() -> pool.handler().handle(exchange));
        }
    }

    private void leave() {
        if (!exchanges.isEmpty()) {
            exchanges.get(random.nextInt(exchanges.size())).abandon(Abandonment.CLIENT_GONE);
        }
    }

    private void join() throws IOException {
        if (workers.size() < MOST_WORKERS) {
            TestWorker connection = sockets.connect();
            SocketChannel channel = sockets.accept();
            workers.add(new ScheduledWorker(connection, this::exchange));
            int concurrency = random.nextInt(5);
            loop.execute(
                    () -> Entrances.admit(pool.entrance(), channel, TestWorker.hello(concurrency)));
        }
    }

    private void pause() {
        turned.clock.advance(
                Duration.ofMillis(PAUSES_MILLIS[random.nextInt(PAUSES_MILLIS.length)]));
        turn();
    }

    private void turn() {
        turned.turn();
        assertEquals(List.of(), turned.takeFailures());
    }

    private ScheduledExchange exchange(String target) {
        return exchanges.get(Integer.parseInt(target.substring(1)));
    }

    private PoolSnapshot snapshot() {
        CompletableFuture<PoolSnapshot> snapshot = pool.snapshot();
        turn();
        return snapshot.join();
    }
}

package dev.handoff.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.Exchange;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerListener;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A server whose handler notes every request and answers it with the reply of the present fixture.
 * Its clock stands still, so that no timeout interferes; an exception of ours fails the test.
 */
final class FixtureServer implements AutoCloseable {
    private static final Duration PATIENCE_FOR_CONNECTIONS = Duration.ofSeconds(10);

    /**
     * Only what is on its way through a busy kernel is waited for, so that failing takes little.
     */
    private static final Duration PATIENCE_FOR_RESPONSES = Duration.ofSeconds(1);

    /** The turn that ends first may have been past its events already; the next one reads. */
    private static final int TURNS_TO_SETTLE = 3;

    private final Map<String, List<Request>> seen = new ConcurrentHashMap<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final TestLoops loops;
    private final HttpServer http;
    private volatile Response reply;

    FixtureServer(FixtureLimits limits) throws IOException {
        loops = new TestLoops(1);
        reply = Response.text(500, "no fixture has begun");
        http =
                HttpServer.start(
                        ServerOptions.of(this::handle)
                                .withLoops(loops.all())
                                .withLimits(
                                        ServerLimits.DEFAULT
                                                .withRequest(limits.request())
                                                .withPipelinedRequests(limits.pipelined()))
                                .withListener(new Opened()));
    }

    int port() {
        return http.port();
    }

    /** Forgets the connections so far. */
    void begin(Response replyToAll) {
        seen.clear();
        opened.set(0);
        reply = replyToAll;
    }

    /** The requests that came from a client's address so far. */
    List<Request> seenFrom(String client) {
        return List.copyOf(seen.getOrDefault(client, List.of()));
    }

    /**
     * Returns when the server has read what was sent to its open connections before, as far as one
     * read of each takes it, and has written what that led to.
     */
    void settle() {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        afterTurns(TURNS_TO_SETTLE, settled);
        settled.join();
    }

    /** The loop counts its own turns: none but the last one wakes another thread. */
    private void afterTurns(int turns, CompletableFuture<Void> settled) {
        EventLoop loop = loops.first();
        Runnable endOfTurn =
                turns == 1 ? () -> settled.complete(null) : () -> afterTurns(turns - 1, settled);
        loop.execute(() -> loop.atEndOfTurn(endOfTurn));
    }

    /** Returns whether {@code condition} came to hold, or else gives up after a while. */
    boolean settleUntil(BooleanSupplier condition) {
        return settleUntil(condition, PATIENCE_FOR_RESPONSES);
    }

    private boolean settleUntil(BooleanSupplier condition, Duration patience) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > patience.toNanos()) {
                return false;
            }
            settle();
        }
        return true;
    }

    /** Returns when so many connections are open since {@link #begin}. */
    void awaitOpened(int count) {
        boolean all = settleUntil(() -> opened.get() >= count, PATIENCE_FOR_CONNECTIONS);
        assertTrue(all, () -> opened + " of " + count + " connections were accepted");
    }

    void assertNoFailure() {
        loops.assertNoFailure();
    }

    @Override
    public void close() {
        http.stop();
        loops.close();
    }

    private void handle(Exchange exchange) {
        seen.computeIfAbsent(exchange.client(), client -> new ArrayList<>())
                .add(exchange.request());
        exchange.respond(reply);
    }

    private final class Opened implements ServerListener {
        @Override
        public void onConnectionOpened(String peer) {
            opened.incrementAndGet();
        }
    }
}

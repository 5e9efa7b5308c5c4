package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.loop.EventLoops;
import dev.handoff.testing.ManualClock;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A server on real sockets and a clock that the test turns. An exception of ours fails the test.
 */
public final class TestServer implements AutoCloseable {

    /** Answers with the request's own target. */
    public static final Handler ECHO_TARGET = HeldRequests::answer;

    /** Answers with the request's own body. */
    public static final Handler ECHO_BODY =
            exchange ->
                    exchange.respond(
                            new Response(
                                    200,
                                    null,
                                    exchange.request().headers(),
                                    exchange.request().body()));

    public final ManualClock clock;
    public final RecordingListener listener = new RecordingListener();
    private static final int TURNS_TO_SETTLE = 4;

    public final HttpServer http;
    public final EventLoops loops;
    private final TestLoops running;

    private TestServer(Handler handler, ServerLimits limits, int loopCount) throws IOException {
        this(ServerOptions.of(handler).withLimits(limits), loopCount);
    }

    private TestServer(ServerOptions options, int loopCount) throws IOException {
        running = new TestLoops(loopCount);
        clock = running.clock;
        loops = running.all();
        http = HttpServer.start(options.withLoops(loops).withListener(listener));
    }

    public static TestServer start(Handler handler) throws IOException {
        return start(handler, ServerLimits.DEFAULT);
    }

    public static TestServer start(Handler handler, ServerLimits limits) throws IOException {
        return new TestServer(handler, limits, 1);
    }

    public static TestServer start(ServerOptions options) throws IOException {
        return new TestServer(options, 1);
    }

    public static TestServer startOnLoops(int loopCount, Handler handler) throws IOException {
        return startOnLoops(loopCount, handler, ServerLimits.DEFAULT);
    }

    public static TestServer startOnLoops(int loopCount, Handler handler, ServerLimits limits)
            throws IOException {
        return new TestServer(handler, limits, loopCount);
    }

    public RawClient connect() throws IOException {
        return new RawClient(http.port());
    }

    /** Advances the clock and lets all that is due happen. */
    public void advance(Duration time) {
        settle();
        clock.advance(time);
        settle();
    }

    /** Returns when the loops have seen all that was sent to them before. */
    public void settle() {
        for (int i = 0; i < loops.count(); i++) {
            // The turn that ends first may have been past its events already. Of those that follow,
            // one accepts and the next reads.
            for (int turn = 0; turn < TURNS_TO_SETTLE; turn++) {
                TestLoops.awaitEndOfTurn(loops.get(i));
            }
        }
    }

    /** Turns the loops until {@code condition} holds. */
    public void settleUntil(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(
                    System.nanoTime() - start < TestLoops.PATIENCE.toNanos(), "it did not happen");
            settle();
        }
    }

    @Override
    public void close() {
        http.stop();
        running.close();
    }
}

package dev.handoff.admin.stats;

import dev.handoff.http.Response;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.server.Handler;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** A server on two loops whose statistics are read on a third, on a clock that the test turns. */
final class CountedServer implements AutoCloseable {
    static final String REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    private static final long PATIENCE_SECONDS = 20;
    private static final int LOOPS = 2;
    private static final byte[] WHOLE_ANSWER_END = "hello\n".getBytes(StandardCharsets.US_ASCII);

    final EventLoops loops;
    final Statistics statistics;
    private final AtomicLong nanos = new AtomicLong(1_000_000_000);
    private final HttpServer server;
    private final EventLoops home;

    CountedServer() throws IOException {
        Counters counters = new Counters(LOOPS);
        loops = EventLoops.start("counted", LOOPS, Clock.SYSTEM, counters.loopListener());
        Handler hello = exchange -> exchange.respond(Response.text(200, "hello\n"));
        server =
                HttpServer.start(
                        ServerOptions.of(hello)
                                .withLoops(loops)
                                .withListener(counters.serverListener()));
        home = EventLoops.start("reading", 1, new TurnedClock(), LoopListener.NONE);
        statistics =
                new Statistics(
                        new ObservedServer(loops, server, List::of, List::of, counters, Map.of()),
                        home.get(0),
                        InstantSource.system());
    }

    private final class TurnedClock implements Clock {
        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public long epochSeconds() {
            return TimeUnit.NANOSECONDS.toSeconds(nanos.get());
        }
    }

    /** Turns the clock of the reading loop, which has done what was due when this returns. */
    void advance(Duration length) {
        nanos.addAndGet(length.toNanos());
        // The turn that ends first may have looked at the clock before.
        awaitEndOfTurn();
        awaitEndOfTurn();
        // A timer that ran asked for a reading, and whoever asks later is answered later.
        await(statistics.snapshot());
    }

    private void awaitEndOfTurn() {
        EventLoop reader = home.get(0);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        reader.execute(() -> reader.atEndOfTurn(() -> ended.complete(null)));
        await(ended);
    }

    /** All that has happened: no loop is shown as it was last because it took long to answer. */
    ServerSnapshot snapshot() {
        return readingOf(loops -> loops.stream().allMatch(LoopState::responsive));
    }

    /** Reads until the loops are as wanted. */
    ServerSnapshot readingOf(Predicate<List<LoopState>> wanted) {
        ServerSnapshot newest = await(statistics.snapshot());
        while (!wanted.test(newest.loops())) {
            newest = await(statistics.snapshot());
        }
        return newest;
    }

    /** So many requests, one after the other on one connection, which stays open. */
    Socket ask(int times) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port());
        client.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        for (int i = 0; i < times; i++) {
            client.getOutputStream().write(REQUEST.getBytes(StandardCharsets.US_ASCII));
            readAnswer(client.getInputStream());
        }
        return client;
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    private static void readAnswer(InputStream in) throws IOException {
        int matched = 0;
        while (matched < WHOLE_ANSWER_END.length) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the answer ends before its end");
            }
            matched = next == WHOLE_ANSWER_END[matched] ? matched + 1 : 0;
        }
    }

    @Override
    public void close() {
        server.stop();
        try {
            loops.stop();
            home.stop();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}

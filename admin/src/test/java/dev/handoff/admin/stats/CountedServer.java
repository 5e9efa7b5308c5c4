package dev.handoff.admin.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.files.FileThreads;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.testing.ManualClock;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A server on two loops whose statistics are read on a third, on a clock that the test turns. */
final class CountedServer implements AutoCloseable {
    static final String REQUEST = RawClient.getRequest("/");

    private static final long PATIENCE_SECONDS = 20;
    private static final int LOOPS = 2;

    final EventLoops loops;
    final Statistics statistics;
    private final ManualClock clock = new ManualClock();
    private final HttpServer server;
    private final EventLoops home;

    CountedServer() throws IOException {
        Counters counters = new Counters(LOOPS);
        loops = EventLoops.start("counted", LOOPS, Clock.SYSTEM, counters.loopListener());
        server =
                HttpServer.start(
                        ServerOptions.of(new Hello())
                                .withLoops(loops)
                                .withListener(counters.serverListener()));
        home = EventLoops.start("reading", 1, clock, LoopListener.NONE);
        statistics =
                new Statistics(
                        new ObservedServer(
                                loops,
                                server,
                                List::of,
                                List::of,
                                List::of,
                                counters,
                                new FileThreads(1),
                                Map.of()),
                        home.get(0),
                        InstantSource.system());
    }

    /** It says hello, but to requests with content, of which it reads none. */
    private static final class Hello implements Handler {
        @Override
        public void handle(Exchange exchange) {
            if (!exchange.request().method().equals("POST")) {
                exchange.respond(Response.text(200, "hello\n"));
            }
        }

        @Override
        public boolean takesContentAsItComes(Request head, Origin origin) {
            return head.method().equals("POST");
        }
    }

    /** Turns the clock of the reading loop, which has done what was due when this returns. */
    void advance(Duration length) {
        clock.advance(length);
        // The turn that ends first may have looked at the clock before.
        TestLoops.awaitEndOfTurn(home.get(0));
        TestLoops.awaitEndOfTurn(home.get(0));
        // A timer that ran asked for a reading, and whoever asks later is answered later.
        await(statistics.snapshot());
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
    RawClient ask(int times) throws IOException {
        RawClient client = new RawClient(server.port());
        for (int i = 0; i < times; i++) {
            assertEquals("hello\n", client.ask("/").text());
        }
        return client;
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
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

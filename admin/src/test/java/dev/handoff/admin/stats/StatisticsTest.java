package dev.handoff.admin.stats;

import static dev.handoff.admin.stats.CountedServer.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.server.ConnectionEnd;
import dev.handoff.testing.RawClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StatisticsTest {
    private static final int CLIENTS = 8;
    private static final int REQUESTS_EACH = 500;

    private CountedServer server;

    @BeforeEach
    void start() throws Exception {
        server = new CountedServer();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @Test
    void countsEveryRequestOfManyClients() throws Exception {
        load();
        Totals totals = server.snapshot().totals();
        int all = CLIENTS * REQUESTS_EACH;
        assertEquals(all, totals.of(ServerCount.RECEIVED));
        assertEquals(all, totals.responses().total());
        assertEquals(0, totals.requestsInFlight());
        assertEquals(all, totals.unrouted().byKind().of(new ResponseKind("GET", 200)));
        assertEquals(all, totals.unrouted().latency().count());
        assertEquals((long) all * CountedServer.REQUEST.length(), totals.of(ServerCount.BYTES_IN));
        assertEquals((long) all * "hello\n".length(), totals.of(ServerCount.BODY_BYTES_OUT));
        assertTrue(totals.of(ServerCount.BYTES_OUT) > totals.of(ServerCount.BODY_BYTES_OUT));
        assertEquals(CLIENTS, totals.of(ServerCount.ACCEPTED));
        assertEquals(all, totals.loops().stream().mapToLong(LoopTotals::requests).sum());
    }

    /** What the server refuses in the middle of its content has got its response by that. */
    @Test
    void countsNoRequestAsInFlightThatWasRefusedInItsContent() throws Exception {
        String head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        try (RawClient client = server.ask(0)) {
            client.send(head + "5\r\nhello\r\nno size\r\n");
            assertEquals(400, client.readResponse().status());
            client.expectEnd();
        }
        Totals totals = server.snapshot().totals();
        assertEquals(1, totals.of(ServerCount.RECEIVED));
        assertEquals(0, totals.requestsInFlight());
    }

    @Test
    void losesNoCountByResetsUnderLoad() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            Future<Long> inWindows = other.submit(() -> sumOfWindowsUntil(over));
            load();
            over.countDown();
            // The last of these resets takes what the present window would show before it.
            long before = inWindows.get();
            server.snapshot();
            long current = await(server.statistics.window()).counts().of(ServerCount.RECEIVED);
            assertEquals(CLIENTS * REQUESTS_EACH, before + current);
        }
        Totals totals = server.snapshot().totals();
        assertEquals(CLIENTS * REQUESTS_EACH, totals.of(ServerCount.RECEIVED));
    }

    private long sumOfWindowsUntil(CountDownLatch over) {
        long sum = 0;
        boolean last = false;
        while (!last) {
            last = over.getCount() == 0;
            sum += await(server.statistics.reset()).counts().of(ServerCount.RECEIVED);
        }
        return sum;
    }

    @Test
    void showsOneReaderWhatItShowsTheOther() throws Exception {
        try (RawClient _ = server.ask(3)) {
            server.snapshot();
            List<CompletionStage<Window>> windows = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                windows.add(server.statistics.window());
            }
            for (CompletionStage<Window> window : windows) {
                assertEquals(3, await(window).counts().of(ServerCount.RECEIVED));
            }
        }
    }

    @Test
    void showsWhoAsksBehindAResetTheNextWindow() throws Exception {
        try (RawClient _ = server.ask(3)) {
            server.snapshot();
            CompletionStage<Window> before = server.statistics.window();
            CompletionStage<Window> closed = server.statistics.reset();
            CompletionStage<Window> after = server.statistics.window();
            assertEquals(3, await(before).counts().of(ServerCount.RECEIVED));
            assertEquals(3, await(closed).counts().of(ServerCount.RECEIVED));
            assertEquals(0, await(after).counts().of(ServerCount.RECEIVED));
        }
    }

    @Test
    void keepsTheWindowThatAResetClosed() throws Exception {
        assertNull(server.statistics.previous());
        try (RawClient _ = server.ask(1)) {
            Window closed = await(server.statistics.reset());
            assertEquals(closed, server.statistics.previous());
            assertEquals(closed.endedAt(), await(server.statistics.window()).resetAt());
        }
    }

    @Test
    void tellsTheMostConnectionsOfEachWindow() throws Exception {
        try (RawClient _ = server.ask(1)) {
            RawClient second = server.ask(1);
            server.snapshot();
            assertEquals(2, await(server.statistics.window()).peakConnections());
            second.close();
            awaitClosed(1);
            assertEquals(2, await(server.statistics.reset()).peakConnections());
            assertEquals(1, await(server.statistics.window()).peakConnections());
        }
    }

    @Test
    void forgetsInRecentWhatIsMoreThanFifteenSecondsOld() throws Exception {
        try (RawClient _ = server.ask(5)) {
            server.snapshot();
            assertEquals(5, recent().counts().of(ServerCount.RECEIVED));
            for (int i = 0; i < 2; i++) {
                server.advance(Statistics.RECENT_STEP);
                assertEquals(5, recent().counts().of(ServerCount.RECEIVED));
            }
            server.advance(Statistics.RECENT_STEP);
            assertEquals(0, recent().counts().of(ServerCount.RECEIVED));
            assertEquals(10.0, recent().seconds());
            assertEquals(5, await(server.statistics.window()).counts().of(ServerCount.RECEIVED));
        }
    }

    @Test
    void showsALoopThatDoesNotTurnAsItWasAndLosesNothing() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (RawClient _ = server.ask(1);
                RawClient _ = server.ask(1)) {
            assertEquals(2, server.snapshot().totals().of(ServerCount.RECEIVED));
            server.loops.get(0).execute(() -> awaitQuietly(released));
            ServerSnapshot meanwhile = server.readingOf(loops -> loops.get(1).responsive());
            assertFalse(meanwhile.loops().get(0).responsive());
            assertEquals(2, meanwhile.totals().of(ServerCount.RECEIVED));
        } finally {
            released.countDown();
        }
        assertEquals(2, server.snapshot().totals().of(ServerCount.RECEIVED));
    }

    private Window.Recent recent() {
        return await(server.statistics.window()).recent();
    }

    private void awaitClosed(int connections) {
        long closed = 0;
        while (closed < connections) {
            closed =
                    await(server.statistics.snapshot())
                            .totals()
                            .closed()
                            .of(ConnectionEnd.CLIENT_CLOSED);
        }
    }

    private void load() throws Exception {
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<RawClient>> asked = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                asked.add(clients.submit(() -> server.ask(REQUESTS_EACH)));
            }
            for (Future<RawClient> each : asked) {
                each.get().close();
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

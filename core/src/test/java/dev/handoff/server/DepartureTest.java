package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that leave, and clients that only ended their sending. */
class DepartureTest {
    /** One at a time, since they are not safe; more than is kept. */
    private static final String MUCH_AHEAD =
            "POST /ahead HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n".repeat(4000);

    private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n";

    private final HeldRequests held = new HeldRequests();

    @Test
    void aRequestWhoseClientResetItsConnectionIsAbandonedAtOnce()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/gone");
            held.take();
            client.reset();

            assertEquals("/gone CLIENT_GONE", held.takeAbandoned());
            server.listener.await("abandoned /gone CLIENT_GONE");
            server.listener.await("closed RESET");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET /half HTTP/1.1|Host:, left GET /half",
        "GET, left",
        "POST /half HTTP/1.1|Host: a|Content-Length: 9||half, left POST /half"
    })
    void aClientThatLeavesInTheMiddleOfARequestIsTold(String sent, String told)
            throws IOException, InterruptedException {
        for (boolean resets : new boolean[] {false, true}) {
            try (TestServer server = TestServer.start(held);
                    RawClient client = server.connect()) {
                client.send(sent.replace("|", "\r\n"));
                server.settle();
                if (resets) {
                    client.reset();
                } else {
                    client.leave();
                }
                server.listener.await(told);
                server.listener.await(resets ? "closed RESET" : "closed CLIENT_CLOSED");
                assertEquals(List.of(), server.listener.told());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"})
    void aClientThatLeavesBetweenRequestsIsNotToldOf(String sent)
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send(sent);
            server.settle();
            client.leave();
            server.listener.await(sent.length() > 2 ? "closed REFUSED" : "closed CLIENT_CLOSED");
            assertEquals(List.of(), server.listener.told());
        }
    }

    /** Of what it has sent ahead no more is read, and neither would be its end. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatSentMuchAheadIsMissedAsSoon(boolean resets)
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.post("/gone", "x").send(MUCH_AHEAD);
            held.take();
            server.settleUntil(() -> server.listener.receivedBytes() > 64 * 1024);
            if (resets) {
                client.reset();
            } else {
                client.leave();
            }
            server.advance(Duration.ofMillis(1999));
            assertTrue(held.noneAbandoned());
            server.advance(Duration.ofMillis(1));
            if (!resets) {
                server.advance(Duration.ofMillis(100));
                server.advance(Duration.ofMillis(200));
            }
            assertEquals("/gone CLIENT_GONE", held.takeAbandoned());
            server.listener.await("closed RESET");
        }
    }

    @Test
    void aClientThatSentMuchAheadAndStaysGetsWhatItIsOwed()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.post("/first", "x").send(MUCH_AHEAD);
            Exchange first = held.take();
            server.settleUntil(() -> server.listener.receivedBytes() > 64 * 1024);
            server.advance(Duration.ofSeconds(1));
            HeldRequests.answer(first);
            assertEquals("/first", client.readResponse().text());
            Exchange second = held.take();
            // Each that begins gives those behind it the whole time.
            server.advance(Duration.ofSeconds(1));
            server.advance(Duration.ofMillis(999));
            HeldRequests.answer(second);
            assertEquals("/ahead", client.readResponse().text());
            Exchange third = held.take();
            server.advance(Duration.ofSeconds(2));
            server.advance(Duration.ofSeconds(2));
            server.listener.await("refused SENT_AHEAD");
            HeldRequests.answer(third);
            assertEquals("/ahead", client.readResponse().text());
            // That one had been read, and waited for its turn.
            HeldRequests.answer(held.take());
            assertEquals("/ahead", client.readResponse().text());
            RawResponse refused = client.readResponse();
            assertEquals(429, refused.status());
            assertEquals("sent_ahead", refused.header("handoff-error"));
            client.expectEnd();
            assertTrue(held.noneAbandoned());
        }
    }

    @Test
    void aRequestWhoseClientClosedItsConnectionIsAbandonedWhenAProbeIsReset()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/gone");
            held.take();
            client.leave();
            server.advance(Duration.ofMillis(100));
            assertTrue(held.noneAbandoned());
            server.advance(Duration.ofMillis(200));

            assertEquals("/gone CLIENT_GONE", held.takeAbandoned());
            server.listener.await("closed RESET");
            assertEquals(0, server.http.connections());
        }
    }

    @Test
    void everyPipelinedRequestIsAbandonedAlsoIfItsResponseWaits()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/first").get("/answered").get("/third");
            held.take();
            HeldRequests.answer(held.take());
            held.take();
            server.settle();
            client.reset();

            assertEquals("/first CLIENT_GONE", held.takeAbandoned());
            assertEquals("/third CLIENT_GONE", held.takeAbandoned());
            server.listener.await("abandoned /first CLIENT_GONE");
            server.listener.await("abandoned /answered CLIENT_GONE");
            server.listener.await("abandoned /third CLIENT_GONE");
        }
    }

    @Test
    void aClientThatEndedItsOutputGetsItsResponse() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/half");
            client.endOutput();
            Exchange exchange = held.take();
            server.settle();
            HeldRequests.answer(exchange);

            assertEquals("/half", client.readResponse().text());
            client.expectEnd();
        }
    }

    @Test
    void theResponseComesBehindAtMostOneWholeInterimResponse()
            throws IOException, InterruptedException {
        for (int millis : new int[] {30, 100, 500, 10_000, 1_000_000}) {
            ServerLimits limits = ServerLimits.DEFAULT.withRequestTimeout(Duration.ofHours(1));
            try (TestServer server = TestServer.start(held, limits);
                    RawClient client = server.connect()) {
                client.get("/half");
                client.endOutput();
                Exchange exchange = held.take();
                server.advance(Duration.ofMillis(Math.min(millis, 100)));
                for (int i = 0; i < 40; i++) {
                    server.advance(Duration.ofMillis(millis / 40));
                }
                HeldRequests.answer(exchange);

                if (millis >= 100) {
                    assertEquals(CONTINUE, client.readHead().head());
                }
                assertEquals("/half", client.readResponse().text());
                client.expectEnd();
            }
        }
    }

    @Test
    void anHttp10ClientIsNeverSentAnInterimResponse() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("GET /half HTTP/1.0\r\n\r\n");
            client.endOutput();
            Exchange exchange = held.take();
            server.advance(Duration.ofMillis(500));
            server.advance(Duration.ofMillis(500));
            HeldRequests.answer(exchange);

            assertEquals("/half", client.readResponse().text());
            client.expectEnd();
        }
    }

    @Test
    void aClientThatEndsInsideARequestIsClosed() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("GET / HTT");
            client.endOutput();

            client.expectEnd();
            server.listener.await("closed CLIENT_CLOSED");
        }
    }

    @Test
    void aConnectionThatItsClientEndsIsClosedWithoutLingering()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.get("/").readResponse();
            client.leave();

            // The clock stands still.
            server.listener.await("closed CLIENT_CLOSED");
            assertEquals(0, server.http.connections());
        }
    }

    @Test
    void aResponseForAClientThatIsGoneIsDroppedAndTold() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/gone");
            Exchange exchange = held.take();
            client.reset();
            server.listener.await("abandoned /gone CLIENT_GONE");
            HeldRequests.answer(exchange);

            server.listener.await("late /gone");
        }
    }

    @Test
    void anActionForAnAbandonedRequestRunsAtOnce() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/gone");
            Exchange exchange = held.take();
            client.reset();
            held.takeAbandoned();
            Abandonment[] reason = new Abandonment[1];
            exchange.loop().execute(() -> exchange.onAbandoned(why -> reason[0] = why));
            server.settle();

            assertEquals(Abandonment.CLIENT_GONE, reason[0]);
        }
    }
}

package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Handlers that throw, answer nonsense, twice, late or never. */
class HandlerFaultTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final HeldRequests held = new HeldRequests();

    @Test
    void aHandlerThatThrowsHasAnswered500() throws IOException, InterruptedException {
        Handler throwing =
                exchange -> {
                    throw new IllegalStateException("on purpose");
                };
        try (TestServer server = TestServer.start(throwing);
                RawClient client = server.connect()) {
            expectFailure(client.get("/a"), 500, "handler_failed");
            server.listener.await("failed /a on purpose");
            expectFailure(client.get("/b"), 500, "handler_failed");
        }
    }

    @Test
    void aHandlerThatThrowsAfterItsResponseIsTold() throws IOException, InterruptedException {
        Handler throwing =
                exchange -> {
                    HeldRequests.answer(exchange);
                    throw new IllegalStateException("on purpose");
                };
        try (TestServer server = TestServer.start(throwing);
                RawClient client = server.connect()) {
            assertEquals("/a", client.get("/a").readResponse().text());
            server.listener.await("failed /a on purpose");
            assertEquals("/b", client.get("/b").readResponse().text());
        }
    }

    @Test
    void aResponseThatIsNotValidBecomes502() throws IOException, InterruptedException {
        List<Response> invalid =
                List.of(
                        Response.of(100, Headers.EMPTY, Body.EMPTY),
                        Response.of(200, Headers.of("x", "a\r\nSet-Cookie: b"), Body.EMPTY),
                        Response.of(200, Headers.of("x y", "a"), Body.EMPTY));
        List<String> faults = List.of("BAD_STATUS", "BAD_HEADER_VALUE", "BAD_HEADER_NAME");
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            for (int i = 0; i < invalid.size(); i++) {
                client.get("/");
                held.take().respond(invalid.get(i));

                expectFailure(client, 502, "bad_response");
                server.listener.await("bad response / " + faults.get(i));
            }
        }
    }

    @Test
    void noResponseIsRefusedWhereItIsGiven() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/");
            Exchange exchange = held.take();
            assertThrows(NullPointerException.class, () -> exchange.respond(nothing()));
            HeldRequests.answer(exchange);

            assertEquals("/", client.readResponse().text());
        }
    }

    @Test
    void aFailureIsAnsweredWithItsStatusCodeAndRetryAfter()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/");
            held.take().fail(new Failure(503, "queue_full", "Too much to do.", 7));

            RawResponse response = client.readResponse();
            assertEquals("HTTP/1.1 503 Service Unavailable", response.statusLine());
            assertEquals("queue_full", response.header("handoff-error"));
            assertEquals("7", response.header("retry-after"));
            assertEquals("Too much to do.\n", response.text());
        }
    }

    @Test
    void aSecondResponseIsDroppedAndTold() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/twice");
            Exchange exchange = held.take();
            HeldRequests.answer(exchange);
            exchange.respond(Response.text(200, "another"));
            server.listener.await("late /twice");
            client.get("/next");
            HeldRequests.answer(held.take());

            assertEquals("/twice", client.readResponse().text());
            assertEquals("/next", client.readResponse().text());
        }
    }

    @Test
    void aRequestThatIsNotAnsweredInTimeIsAbandonedAndAnswered504()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/slow");
            Exchange exchange = held.take();
            server.advance(TIMEOUT.minusNanos(1));
            assertEquals(true, held.noneAbandoned());
            server.advance(Duration.ofNanos(1));

            expectFailure(client, 504, "deadline");
            assertEquals("/slow DEADLINE", held.takeAbandoned());
            server.listener.await("abandoned /slow DEADLINE");
            server.listener.await("response /slow 504");

            HeldRequests.answer(exchange);
            server.listener.await("late /slow");
            client.get("/next");
            HeldRequests.answer(held.take());
            assertEquals("/next", client.readResponse().text());
        }
    }

    @Test
    void aDeadlineCanBeMovedBothWays() throws IOException, InterruptedException {
        Handler moving =
                exchange -> {
                    long seconds = exchange.request().target().equals("/short") ? 1 : 100;
                    exchange.deadlineNanos(
                            exchange.arrivedNanos() + Duration.ofSeconds(seconds).toNanos());
                };
        try (TestServer server = TestServer.start(moving);
                RawClient quick = server.connect();
                RawClient slow = server.connect()) {
            quick.get("/short");
            slow.get("/long");
            server.listener.await("request /long");
            server.advance(Duration.ofSeconds(1));
            expectFailure(quick, 504, "deadline");
            server.advance(Duration.ofMillis(98_999));
            assertEquals(false, server.listener.told().contains("response /long 504"));
            server.advance(Duration.ofMillis(1));
            expectFailure(slow, 504, "deadline");
        }
    }

    @Test
    void aDeadlineMovedWhileTheRequestIsOutCounts() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/");
            Exchange exchange = held.take();
            exchange.loop().execute(() -> exchange.deadlineNanos(exchange.arrivedNanos() + 10));
            server.advance(Duration.ofNanos(10));

            expectFailure(client, 504, "deadline");
        }
    }

    @Test
    void deadlinesOfPipelinedRequestsPassTogether() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/a").get("/b").post("/parked", "x");
            held.take(2);
            server.advance(TIMEOUT);

            for (int i = 0; i < 3; i++) {
                expectFailure(client, 504, "deadline");
            }
            assertEquals(0, held.waiting());
        }
    }

    @Test
    void whoHearsThatOneRequestIsAbandonedMayAnswerTheOthers()
            throws IOException, InterruptedException {
        Exchange[] second = new Exchange[1];
        Handler handler =
                exchange -> {
                    if (exchange.request().target().equals("/a")) {
                        exchange.onAbandoned(reason -> HeldRequests.answer(second[0]));
                    } else {
                        second[0] = exchange;
                    }
                };
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/a").get("/b");
            server.listener.await("request /b");
            server.advance(TIMEOUT);

            expectFailure(client, 504, "deadline");
            assertEquals("/b", client.readResponse().text());

            client.get("/a").get("/b");
            server.listener.await("request /b");
            server.settle();
            client.reset();
            server.listener.await("abandoned /a CLIENT_GONE");
            server.listener.await("late /b");
            server.listener.await("abandoned /b CLIENT_GONE");
            server.listener.await("closed RESET");
        }
    }

    @Test
    void anAbandonmentActionThatThrowsCostsNothingElse() throws IOException, InterruptedException {
        Handler handler =
                exchange ->
                        exchange.onAbandoned(reason -> {
                            throw new IllegalStateException("on purpose");
                        });
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/a").get("/b");
            server.listener.await("request /b");
            server.advance(TIMEOUT);
            expectFailure(client, 504, "deadline");
            expectFailure(client, 504, "deadline");
            server.listener.await("failed /a on purpose");

            client.get("/c").get("/d");
            server.listener.await("request /d");
            server.settle();
            client.reset();
            server.listener.await("abandoned /d CLIENT_GONE");
            server.listener.await("closed RESET");
            assertEquals(0, server.http.connections());
        }
    }

    private static void expectFailure(RawClient client, int status, String code)
            throws IOException {
        RawResponse response = client.readResponse();
        assertEquals(status, response.status());
        assertEquals(code, response.header("handoff-error"));
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        return null;
    }
}

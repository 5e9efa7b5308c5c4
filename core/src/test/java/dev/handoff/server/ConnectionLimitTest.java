package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
    private static final int MORE_THAN_SOCKETS_TAKE = 32 * 1024 * 1024;
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    @Test
    void pausesAcceptingAtTheLimitAndResumesBelowIt() throws IOException, InterruptedException {
        ServerLimits.Builder limits = ServerLimits.builder().connections(2);
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient first = server.connect()) {
            first.get("/first").readResponse();
            assertFalse(server.listener.told().contains("paused"));
            try (RawClient second = server.connect()) {
                second.get("/second").readResponse();
                server.listener.await("paused");
                try (RawClient third = server.connect()) {
                    // In the kernel's backlog: connected, but not read.
                    third.get("/third");
                    server.settle();
                    assertEquals(2, server.http.connections());
                    second.leave();
                    server.listener.await("resumed");

                    assertEquals("/third", third.readResponse().text());
                }
            }
        }
    }

    @Test
    void givesTheLongestUnusedPlaceToANewConnection() throws IOException {
        try (TestServer server = displacing(2);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            first.get("/first").readResponse();
            second.get("/second").readResponse();
            server.advance(ONE_SECOND);
            first.get("/again").readResponse();
            try (RawClient third = server.connect()) {
                assertEquals("/third", third.get("/third").readResponse().text());
            }
            second.expectEnd();
            assertEquals("/still", first.get("/still").readResponse().text());
        }
    }

    @Test
    void givesThePlaceOfAHeadThatDoesNotEndToANewConnection() throws IOException {
        try (TestServer server = displacing(1);
                RawClient slow = server.connect()) {
            slow.send("GET / HTTP/1.1\r\nHost:");
            server.settle();
            try (RawClient next = server.connect()) {
                assertEquals("/next", next.get("/next").readResponse().text());
            }
            slow.expectEnd();
        }
    }

    @Test
    void displacesWhoWaitsForAnAnswerLast() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(builder(held, 2));
                RawClient waiting = server.connect()) {
            waiting.get("/waiting");
            Exchange exchange = held.take();
            server.advance(ONE_SECOND);
            try (RawClient idle = server.connect()) {
                server.settleUntil(() -> server.http.connections() == 2);
                try (RawClient next = server.connect()) {
                    next.get("/next");
                    HeldRequests.answer(held.take());
                    assertEquals("/next", next.readResponse().text());
                    idle.expectEnd();
                }
                HeldRequests.answer(exchange);
                assertEquals("/waiting", waiting.readResponse().text());
            }
        }
    }

    @Test
    void displacesWhoStillReadsAnAnswerLast() throws IOException, InterruptedException {
        String more = "x".repeat(MORE_THAN_SOCKETS_TAKE);
        Handler large =
                exchange ->
                        exchange.respond(
                                exchange.request().target().equals("/large")
                                        ? Response.text(200, more)
                                        : Response.text(200, "small"));
        try (TestServer server = TestServer.start(builder(large, 2));
                RawClient reading = server.connect()) {
            reading.get("/large");
            server.listener.await("response /large 200");
            server.advance(ONE_SECOND);
            try (RawClient idle = server.connect()) {
                server.settleUntil(() -> server.http.connections() == 2);
                try (RawClient next = server.connect()) {
                    assertEquals("small", next.get("/next").readResponse().text());
                    idle.expectEnd();
                }
            }
            assertEquals(more, reading.readResponse().text());
        }
    }

    private static TestServer displacing(int connections) throws IOException {
        return TestServer.start(builder(TestServer.ECHO_TARGET, connections));
    }

    private static HttpServer.Builder builder(Handler handler, int connections) {
        return HttpServer.builder(handler)
                .limits(ServerLimits.builder().connections(connections).build())
                .displacing();
    }

    @Test
    void givesConnectionsToTheLoopThatHasTheFewest() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.startOnLoops(3, held)) {
            Map<String, Integer> perLoop = new HashMap<>();
            for (int i = 0; i < 9; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.get("/");
                Exchange exchange = held.take();
                perLoop.merge(exchange.loop().name(), 1, Integer::sum);
                HeldRequests.answer(exchange);
                client.readResponse();
            }

            assertEquals(Map.of("test-0", 3, "test-1", 3, "test-2", 3), perLoop);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}

package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.http.Body;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionLimitTest {
    private static final int MORE_THAN_SOCKETS_TAKE = 32 * 1024 * 1024;
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    /** How long a connection has to be idle before it may make room. */
    private static final Duration LEAST_IDLE = ONE_SECOND;

    /** How long a client has to have taken nothing before it may have to make room. */
    private static final Duration LEAST_STALL = Duration.ofSeconds(10);

    /** How long until it is looked again whether one may. */
    private static final Duration TRIED_AGAIN = Duration.ofMillis(100);

    @Test
    void pausesAcceptingAtTheLimitAndResumesBelowIt() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withConnections(2);
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            first.get("/first");
            second.get("/second");
            held.take(2);
            server.settle();
            assertFalse(server.listener.told().contains("paused"));
            try (RawClient third = server.connect()) {
                // In the kernel's backlog: connected, but not read.
                third.get("/third");
                server.listener.await("paused");
                server.advance(TRIED_AGAIN);
                assertEquals(2, server.http.connections());
                second.reset();
                server.listener.await("resumed");

                HeldRequests.answer(held.take());
                assertEquals("/third", third.readResponse().text());
            }
        }
    }

    @Test
    void aLowerLimitEndsTheSilentAndAHigherOneLetsTheWaitingIn()
            throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, ServerLimits.DEFAULT.withConnections(3));
                RawClient silent = server.connect();
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            first.get("/first");
            second.get("/second");
            held.take(2);
            server.settle();
            server.advance(LEAST_IDLE);

            server.http.limitConnections(2);
            silent.expectEnd();
            server.listener.await("closed EVICTED");
            assertEquals(2, server.http.limits().connections());
            try (RawClient fourth = server.connect()) {
                fourth.get("/fourth");
                server.advance(TRIED_AGAIN);
                server.listener.await("paused");
                assertEquals(2, server.http.connections());

                server.http.limitConnections(3);
                server.listener.await("resumed");
                HeldRequests.answer(held.take());
                assertEquals("/fourth", fourth.readResponse().text());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HTTP/1.1\r\nX-"})
    void aMuchLowerLimitEndsAllThatAreTooManyAtOnce(String begun)
            throws IOException, InterruptedException {
        int many = 50;
        ServerLimits limits = ServerLimits.DEFAULT.withConnections(many);
        List<RawClient> silent = new ArrayList<>();
        try (TestServer server = TestServer.startOnLoops(2, TestServer.ECHO_TARGET, limits)) {
            for (int i = 0; i < many; i++) {
                RawClient client = server.connect();
                silent.add(client);
                client.send(begun);
            }
            server.settle();
            server.advance(LEAST_IDLE);

            server.http.limitConnections(2);
            // One look for each of the loops.
            server.advance(TRIED_AGAIN);
            server.advance(TRIED_AGAIN);
            try (RawClient newcomer = server.connect()) {
                newcomer.get("/newcomer");
                assertEquals("/newcomer", newcomer.readResponse().text());
            }
        } finally {
            for (RawClient each : silent) {
                each.close();
            }
        }
    }

    @Test
    void theLongestIdleConnectionMakesRoom() throws IOException, InterruptedException {
        try (TestServer server = limitedTo(2, TestServer.ECHO_TARGET);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            first.get("/first").readResponse();
            second.get("/second").readResponse();
            server.advance(LEAST_IDLE);
            first.get("/again").readResponse();
            try (RawClient third = server.connect()) {
                assertEquals("/third", third.get("/third").readResponse().text());
                second.expectEnd();
                server.listener.await("closed EVICTED");
                assertFalse(server.listener.told().contains("paused"));
                assertEquals("/still", first.get("/still").readResponse().text());
            }
        }
    }

    @Test
    void theLongestIdleConnectionOfAllLoopsMakesRoom() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        ServerLimits limits = ServerLimits.DEFAULT.withConnections(6);
        try (TestServer server = TestServer.startOnLoops(3, TestServer.ECHO_TARGET, limits)) {
            for (int i = 0; i < 6; i++) {
                clients.add(server.connect());
                clients.get(i).get("/").readResponse();
                server.advance(ONE_SECOND);
            }
            clients.get(0).get("/again").readResponse();
            server.advance(LEAST_IDLE);
            for (int longest = 1; longest < 6; longest++) {
                clients.add(server.connect());
                assertEquals("/new", clients.getLast().get("/new").readResponse().text());
                clients.get(longest).expectEnd();
                server.settle();
                assertEquals(6, server.http.connections());
            }
            assertEquals("/still", clients.get(0).get("/still").readResponse().text());
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aConnectionThatWasUsedJustNowKeepsItsPlace() throws IOException, InterruptedException {
        try (TestServer server = limitedTo(1, TestServer.ECHO_TARGET);
                RawClient first = server.connect()) {
            first.get("/first").readResponse();
            server.advance(LEAST_IDLE.minusNanos(1));
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                assertEquals("/again", first.get("/again").readResponse().text());
                server.advance(LEAST_IDLE.minusNanos(1));
                assertFalse(server.listener.told().contains("closed EVICTED"));
                server.advance(TRIED_AGAIN);

                assertEquals("/second", second.readResponse().text());
                first.expectEnd();
                server.listener.await("resumed");
            }
        }
    }

    @Test
    void whoIsOwedAResponseMakesNoRoom() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = limitedTo(1, held);
                RawClient first = server.connect()) {
            first.get("/first");
            Exchange owed = held.take();
            try (RawClient second = server.connect()) {
                answerWhileOneWaits(server, owed, first, second);
                assertEquals(1, server.http.connections());
                server.advance(LEAST_IDLE.plus(TRIED_AGAIN));

                HeldRequests.answer(held.take());
                assertEquals("/second", second.readResponse().text());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "G",
                "GET /first HTTP/1.1\r\n",
                "POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
                "POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\nsome",
            })
    void whoHasBegunARequestAndStoppedMakesRoom(String begun)
            throws IOException, InterruptedException {
        try (TestServer server = limitedTo(1, TestServer.ECHO_TARGET);
                RawClient first = server.connect()) {
            first.send(begun);
            server.settleUntil(() -> server.listener.receivedBytes() == begun.length());
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                server.advance(LEAST_IDLE.minusNanos(1));
                assertFalse(server.listener.told().contains("closed EVICTED"));
                server.advance(TRIED_AGAIN);

                assertEquals("/second", second.readResponse().text());
                assertEquals("request_evicted", first.readResponse().header("handoff-error"));
                first.expectEnd();
                server.listener.await("closed EVICTED");
            }
        }
    }

    /** A byte to it would be a part of the response, so nobody can ask whether it has left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoHasEndedItsSendingMakesRoom(boolean streams) throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = limitedTo(1, held);
                RawClient first = server.connect()) {
            first.send("GET /first HTTP/1.0\r\n\r\n");
            Exchange owed = held.take();
            if (streams) {
                owed.stream(Response.text(200, "a"), bytes -> {});
                first.readHead();
            }
            first.endOutput();
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                server.advance(LEAST_IDLE.minusNanos(1));
                assertFalse(server.listener.told().contains("closed EVICTED"));
                server.advance(TRIED_AGAIN);

                HeldRequests.answer(held.take());
                assertEquals("/second", second.readResponse().text());
                server.listener.await("closed EVICTED");
                assertEquals("/first CLIENT_GONE", held.takeAbandoned());
            }
        }
    }

    @Test
    void whoHasEndedItsSendingAndTakesItsResponseStays() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = limitedTo(1, held);
                RawClient first = server.connect()) {
            first.send("GET /first HTTP/1.0\r\n\r\n");
            ResponseStream stream = held.take().stream(Response.text(200, "a"), bytes -> {});
            first.readHead();
            first.endOutput();
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                for (int i = 0; i < 20; i++) {
                    server.advance(TRIED_AGAIN);
                    stream.write(Body.utf8("b"));
                }
                stream.end();
                assertEquals("a" + "b".repeat(20), first.readToEnd());
                HeldRequests.answer(held.take());
                assertEquals("/second", second.readResponse().text());
            }
        }
    }

    /** While its handler does not take its content, it is not read, and may have left. */
    @Test
    void whoIsNotReadMakesRoomWhenItsResponseHasBegun() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        Handler takesContent =
                new Handler() {
                    @Override
                    public void handle(Exchange exchange) {
                        held.handle(exchange);
                    }

                    @Override
                    public boolean takesContentAsItComes(Request head, Origin origin) {
                        return true;
                    }
                };
        try (TestServer server = limitedTo(1, takesContent);
                RawClient first = server.connect()) {
            int many = 1_000_000;
            first.send("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: " + 2 * many);
            first.send("\r\n\r\n" + "x".repeat(many));
            held.take().stream(Response.text(200, "a"), bytes -> {});
            first.readHead();
            server.settle();
            first.reset();
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                server.advance(LEAST_IDLE.plus(TRIED_AGAIN));

                HeldRequests.answer(held.take());
                assertEquals("/second", second.readResponse().text());
                server.listener.await("closed EVICTED");
            }
        }
    }

    @Test
    void whoHasBegunTheNextRequestWhileOneWasAnsweredMakesRoom()
            throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = limitedTo(1, held);
                RawClient first = server.connect()) {
            first.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /more HT");
            Exchange owed = held.take();
            try (RawClient second = server.connect()) {
                answerWhileOneWaits(server, owed, first, second);
                server.advance(LEAST_IDLE.plus(TRIED_AGAIN));
                HeldRequests.answer(held.take());
                assertEquals("/second", second.readResponse().text());
                assertEquals("request_evicted", first.readResponse().header("handoff-error"));
            }
        }
    }

    @Test
    void anUploadThatMakesHeadwayGoesAfterOneThatDoesNot()
            throws IOException, InterruptedException {
        int bytes = 4 * ReadPace.STEP_BYTES;
        try (TestServer server = limitedTo(2, TestServer.ECHO_TARGET);
                RawClient upload = server.connect()) {
            upload.send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: " + bytes + "\r\n\r\n");
            server.settle();
            try (RawClient stopped = server.connect()) {
                stopped.send("GET /stopped");
                server.settleUntil(() -> server.http.connections() == 2);
                for (int i = 0; i < 3; i++) {
                    server.advance(LEAST_IDLE.dividedBy(2));
                    upload.send("x".repeat(ReadPace.STEP_BYTES));
                    server.settle();
                }
                try (RawClient next = server.connect()) {
                    assertEquals("/next", next.get("/next").readResponse().text());
                    stopped.readResponse();
                    upload.send("x".repeat(ReadPace.STEP_BYTES));
                    assertEquals("/up", upload.readResponse().text());
                }
            }
        }
    }

    @Test
    void whoStillReadsAResponseMakesNoRoom() throws IOException, InterruptedException {
        String more = "x".repeat(MORE_THAN_SOCKETS_TAKE);
        try (TestServer server = limitedTo(1, e -> e.respond(Response.text(200, more)));
                RawClient reading = server.connect()) {
            reading.get("/large");
            server.listener.await("response /large 200");
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                server.advance(LEAST_IDLE.plus(TRIED_AGAIN));

                assertEquals(more, reading.readResponse().text());
            }
        }
    }

    @Test
    void whoTakesNothingOfAResponseMakesRoomInTheEnd() throws IOException, InterruptedException {
        String more = "x".repeat(MORE_THAN_SOCKETS_TAKE);
        try (TestServer server = limitedTo(1, e -> e.respond(Response.text(200, more)));
                RawClient still = server.connect()) {
            still.get("/large");
            server.listener.await("response /large 200");
            server.settle();
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                server.advance(LEAST_STALL);
                server.advance(TRIED_AGAIN);
                server.listener.await("closed EVICTED");
                assertEquals(more, second.readResponse().text());
            }
        }
    }

    @Test
    void givesTheLongestUnusedPlaceToANewConnection() throws IOException {
        try (TestServer server = evicting(2);
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
        try (TestServer server = evicting(1);
                RawClient slow = server.connect()) {
            slow.send("GET / HTTP/1.1\r\nHost:");
            server.settle();
            try (RawClient next = server.connect()) {
                assertEquals("/next", next.get("/next").readResponse().text());
            }
            slow.expectEnd();
        }
    }

    /** All of them come before the loop looks, as in a flood. */
    @Test
    void readsANewConnectionBeforeOthersCanTakeItsPlace() throws IOException {
        try (TestServer server = evicting(2)) {
            CompletableFuture<Void> waits = new CompletableFuture<>();
            CompletableFuture<Void> flood = new CompletableFuture<>();
            server.loops
                    .get(0)
                    .execute(() -> {
                        waits.complete(null);
                        flood.join();
                    });
            waits.join();
            RawClient probe = server.connect().get("/probe");
            List<RawClient> silent = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                silent.add(server.connect());
            }
            flood.complete(null);
            assertEquals("/probe", probe.readResponse().text());
            probe.close();
            for (RawClient each : silent) {
                each.close();
            }
        }
    }

    @Test
    void evictsWhoWaitsForAResponseLast() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(options(held, 2));
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
    void evictsWhoStillReadsAResponseLast() throws IOException, InterruptedException {
        String more = "x".repeat(MORE_THAN_SOCKETS_TAKE);
        Handler large =
                exchange ->
                        exchange.respond(
                                exchange.request().target().equals("/large")
                                        ? Response.text(200, more)
                                        : Response.text(200, "small"));
        try (TestServer server = TestServer.start(options(large, 2));
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

    private static TestServer limitedTo(int connections, Handler handler) throws IOException {
        return TestServer.start(handler, ServerLimits.DEFAULT.withConnections(connections));
    }

    /**
     * A second client waits for longer than a silent one keeps its place; then the first is served.
     */
    private static void answerWhileOneWaits(
            TestServer server, Exchange owed, RawClient first, RawClient second)
            throws IOException, InterruptedException {
        second.get("/second");
        server.listener.await("paused");
        server.advance(LEAST_IDLE.plus(TRIED_AGAIN));
        HeldRequests.answer(owed);
        assertEquals("/first", first.readResponse().text());
    }

    private static TestServer evicting(int connections) throws IOException {
        return TestServer.start(options(TestServer.ECHO_TARGET, connections));
    }

    private static ServerOptions options(Handler handler, int connections) {
        return ServerOptions.of(handler)
                .withLimits(ServerLimits.DEFAULT.withConnections(connections))
                .evictingForNewcomers();
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

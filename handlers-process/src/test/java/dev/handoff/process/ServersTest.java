package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.supervise.PoolChange;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.forwarding.TrustedProxies;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool whose worker is an HTTP server, with the real server in front of it. */
final class ServersTest {
    private static final int MORE_THAN_THE_KERNEL_HOLDS = 16 * 1024 * 1024;

    private TestPool pool;
    private HttpServer server;
    private ScriptedServer upstream;

    @BeforeEach
    void start() throws IOException {
        start(PoolLimits.DEFAULT, options -> options, 2);
    }

    private void start(PoolLimits limits, UnaryOperator<ServerOptions> chosen) throws IOException {
        start(limits, chosen, 2);
    }

    /**
     * @param others that are in the pool, too
     */
    private void start(
            PoolLimits limits,
            UnaryOperator<ServerOptions> chosen,
            int concurrency,
            ScriptedServer... others)
            throws IOException {
        pool = TestPool.startOfServers(limits);
        ServerOptions options =
                ServerOptions.of(pool.pool.handler())
                        .withLoops(pool.loops.all())
                        .withLimits(ServerLimits.DEFAULT.withBufferedBytes(256 * 1024 * 1024));
        server = HttpServer.start(chosen.apply(options));
        upstream = new ScriptedServer();
        List<ScriptedServer> all = new ArrayList<>(List.of(upstream));
        all.addAll(List.of(others));
        pool.pool.connect(all.stream().map(ScriptedServer::place).toList(), concurrency);
        pool.await(snapshot -> snapshot.concurrency() == concurrency * all.size());
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        upstream.close();
        pool.close();
    }

    /** Clients would take it for the word of the server that they see. */
    @Test
    void aServerCannotSpeakForUs() throws IOException {
        try (RawClient client = connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            try (var connection = upstream.accept()) {
                var _ = connection.request();
                connection.send(
                        "HTTP/1.1 503 No\r\nHandoff-Error: queue_full\r\nX-A: b\r\nContent-Length: 0\r\n\r\n");
            }
            RawResponse response = client.readResponse();
            assertEquals(503, response.status());
            assertEquals("", response.header("handoff-error"));
            assertEquals("b", response.header("x-a"));
        }
    }

    @Test
    void aRequestGoesThereAndBack() throws IOException {
        try (RawClient client = connect()) {
            client.send(
                    """
                    POST /echo?x=1 HTTP/1.1
                    Host: a
                    X-Own: b
                    Connection: x-mine
                    X-Mine: 1
                    X-Forwarded-For: 6.6.6.6
                    X_Forwarded_For: 6.6.6.6
                    X.Real.IP: 6.6.6.6
                    Content_Length: 666
                    Forwarded: for=6.6.6.6
                    Client-Cert: :6.6.6.6:
                    Client_Cert_Chain: :6.6.6.6:
                    Transfer-Encoding: chunked

                    4
                    body
                    0

                    """
                            .replace("\n", "\r\n"));
            try (var connection = upstream.accept()) {
                ScriptedServer.Came came = connection.request();
                assertEquals("POST /echo?x=1 HTTP/1.1", came.line());
                assertEquals("body", came.body());
                assertTrue(came.has("host: a"), came.head());
                assertTrue(came.has("x-own: b"), came.head());
                assertTrue(came.has("x-forwarded-for: 127.0.0.1"), came.head());
                assertTrue(came.has("x-forwarded-proto: http"), came.head());
                assertTrue(came.has("x-forwarded-host: a"), came.head());
                assertFalse(came.head().contains("6.6.6.6"), came.head());
                assertFalse(came.head().contains("666"), came.head());
                assertFalse(came.head().contains("mine"), came.head());
                assertFalse(came.head().contains("transfer-encoding"), came.head());
                connection.send(
                        "HTTP/1.1 201 Made\r\nX-A: b\r\nConnection: close, x-hop\r\nX-Hop: c\r\nContent-Length: 2\r\n\r\nhi");
            }
            RawResponse response = client.readResponse();
            assertEquals(201, response.status());
            assertEquals("hi", response.text());
            assertEquals("b", response.header("x-a"));
            assertEquals("", response.header("x-hop"));
        }
    }

    @Test
    void whatATrustedProxySaysIsPassedOn() throws IOException {
        stop();
        TrustedProxies loopback = TrustedProxies.of(List.of("127.0.0.1"));
        start(PoolLimits.DEFAULT, options -> options.withTrustedProxies(loopback));
        try (RawClient client = connect();
                var connection =
                        acceptAfter(
                                client,
                                "/",
                                "X-Forwarded-For: 192.0.2.9",
                                "X-Forwarded-Proto: https",
                                "Connection: x-forwarded-host, Client-Cert",
                                "X-Forwarded-Host: example.org",
                                "X-Forwarded-Port: 443",
                                "Client-Cert: :AAAA:",
                                "X-Forwarded-Prefix: /evil")) {
            ScriptedServer.Came came = connection.request();
            assertTrue(came.has("x-forwarded-for: 192.0.2.9"), came.head());
            assertTrue(came.has("x-forwarded-proto: https"), came.head());
            assertTrue(came.has("x-forwarded-host: example.org"), came.head());
            assertTrue(came.has("x-forwarded-port: 443"), came.head());
            assertTrue(came.has("client-cert: :AAAA:"), came.head());
            assertFalse(came.head().contains("evil"), came.head());
            connection.answer("x");
            client.readResponse();
        }
    }

    @Test
    void aConnectionTakesOneRequestAfterTheOther() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/1")) {
            for (int i = 1; i <= 5; i++) {
                assertEquals("GET /" + i + " HTTP/1.1", connection.request().line());
                connection.answer("answer " + i);
                assertEquals("answer " + i, client.readResponse().text());
                client.get("/" + (i + 1));
            }
        }
    }

    /**
     * A server may leave the content of a request where it looks for the next one: then a client
     * writes what the server takes for the request of another.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET 200",
                "HEAD 200",
                "DELETE 200",
                "OPTIONS 204",
                "TRACE 200",
                "PROPFIND 207",
                "PURGE 200",
                "POST 404",
                "PUT 501",
                "POST 303"
            })
    void nothingFollowsContentThatTheServerMayNotHaveRead(String exchange) throws IOException {
        String method = exchange.substring(0, exchange.indexOf(' '));
        String status = exchange.substring(method.length() + 1);
        String asked = method + " / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
        String none = status.equals("204") ? "" : "Content-Length: 0\r\n";
        String answer = "HTTP/1.1 " + status + " Any\r\n" + none + "\r\n";
        try (RawClient client = connect()) {
            client.send(asked);
            try (var connection = upstream.accept()) {
                boolean isTold = connection.request().has("connection: close");
                assertEquals(!method.equals("POST") && !method.equals("PUT"), isTold);
                connection.send(answer);
                assertEquals(status, "" + client.readHead().status());
                // At once: an idle connection would be closed soon in any case.
                client.send(asked);
                try (var next = upstream.accept()) {
                    assertEquals("body", next.request().body());
                    next.send(answer);
                    assertEquals(status, "" + client.readHead().status());
                }
                connection.awaitEnd();
            }
        }
    }

    @Test
    void aConnectionGoesOnBehindContentThatWasRead() throws IOException {
        try (RawClient client = connect()) {
            client.post("/1", "one");
            try (var connection = upstream.accept()) {
                for (int i = 1; i <= 3; i++) {
                    assertEquals("POST /" + i + " HTTP/1.1", connection.request().line());
                    connection.answer("answer " + i);
                    assertEquals("answer " + i, client.readResponse().text());
                    client.post("/" + (i + 1), "more");
                }
            }
        }
    }

    @Test
    void anIdleConnectionIsClosedSoon() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/")) {
            connection.request();
            connection.answer("x");
            client.readResponse();
            pool.loops.awaitIdle();
            pool.advance(Duration.ofMillis(1100));
            connection.awaitEnd();
            assertEquals(0, pool.snapshot().inFlight());
        }
    }

    @Test
    void noMoreRequestsThanItsConcurrencyAreUnderWay() throws IOException {
        try (RawClient one = connect();
                RawClient two = connect();
                RawClient three = connect();
                var first = acceptAfter(one, "/1");
                var second = acceptAfter(two, "/2")) {
            three.get("/3");
            pool.await(snapshot -> snapshot.inFlight() == 2 && snapshot.queued() == 1);
            first.request();
            second.request();
            second.answer("2");
            assertEquals("2", two.readResponse().text());
            assertEquals("GET /3 HTTP/1.1", second.request().line());
            second.answer("3");
            assertEquals("3", three.readResponse().text());
            first.answer("1");
            assertEquals("1", one.readResponse().text());
        }
    }

    @Test
    void contentComesInEveryFraming() throws IOException {
        for (String response :
                new String[] {
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                    "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX: y\r\n\r\n",
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                    "HTTP/1.0 200 OK\r\n\r\nhello",
                    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"
                }) {
            try (RawClient client = connect();
                    var connection = acceptAfter(client, "/", "Connection: close")) {
                connection.request();
                connection.send(response);
                connection.leave();
                String whole = client.readToEnd();
                assertTrue(whole.startsWith("HTTP/1.1 200"), whole);
                assertTrue(whole.contains("hello") || whole.contains("5\r\nhello"), whole);
                assertFalse(whole.contains("Early"), whole);
            }
        }
    }

    @Test
    void aResponseToHeadHasNoContentAndKeepsItsLength() throws IOException {
        try (RawClient client = connect()) {
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
            try (var connection = upstream.accept()) {
                connection.request();
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
                assertEquals("5000", client.readHead().header("content-length"));
                client.get("/next");
                assertEquals("GET /next HTTP/1.1", connection.request().line());
                connection.answer("n");
                assertEquals("n", client.readResponse().text());
            }
        }
    }

    /** The server may be at a stream that has no end, and so never read the next request. */
    @Test
    void nothingFollowsAHeadOfAResponseWithoutLength() throws IOException {
        try (RawClient client = connect()) {
            client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n");
            try (var connection = upstream.accept()) {
                connection.request();
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                assertEquals(200, client.readHead().status());
                client.get("/next");
                try (var next = upstream.accept()) {
                    assertEquals("GET /next HTTP/1.1", next.request().line());
                    next.answer("n");
                    assertEquals("n", client.readResponse().text());
                }
                connection.awaitEnd();
            }
        }
    }

    @Test
    void piecesReachTheClientAsTheyCome() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/events")) {
            connection.request();
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
            assertEquals("chunked", client.readHead().header("transfer-encoding"));
            expect(client, "3\r\none\r\n");
            connection.send("3\r\ntwo\r\n");
            expect(client, "3\r\ntwo\r\n");
            pool.await(snapshot -> snapshot.streams() == 1);
            connection.send("0\r\n\r\n");
            expect(client, "0\r\n\r\n");
            pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void aServerWaitsForASlowClient() throws Exception {
        try (RawClient client = new RawClient(server.port(), 4096)) {
            client.get("/large");
            try (var connection = upstream.accept()) {
                connection.request();
                int size = 4 * MORE_THAN_THE_KERNEL_HOLDS;
                Thread sending = Thread.startVirtualThread(() -> sendLarge(connection, size));
                sending.join(Duration.ofMillis(500));
                assertTrue(sending.isAlive(), "somebody holds " + size + " bytes for the client");
                RawResponse response = client.readResponse();
                assertEquals(size, response.body().sizeBytes());
                sending.join();
            }
        }
    }

    private static void sendLarge(ScriptedServer.Connection connection, int size) {
        try {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
            String piece = "x".repeat(64 * 1024);
            for (int sent = 0; sent < size; sent += piece.length()) {
                connection.send(piece);
            }
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n",
                "HTTP/2 200 OK\r\n\r\n",
                "HTTP/1.1 20 OK\r\n\r\n",
                "HTTP/1.1 200 OK\n\n",
                "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n"
            })
    void aResponseThatBreaksARuleIs502(String response) throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/", "Connection: close")) {
            connection.request();
            connection.send(response);
            assertFailure(client.readToEnd(), "502 Bad Gateway", "worker_fault");
            pool.events.await(PoolEvent.RequestLost.class);
            connection.awaitEnd();
        }
        assertNothingElseSuffered();
    }

    @Test
    void floodsOfInterimResponsesAndLongHeadsEnd() throws IOException {
        for (String flood :
                new String[] {
                    "HTTP/1.1 100 Continue\r\n\r\n".repeat(17),
                    "HTTP/1.1 200 OK\r\nA: " + "x".repeat(70_000),
                    "HTTP/1.1 200 OK\r\n" + "A: b\r\n".repeat(501) + "\r\n",
                    "HTTP/1.1 200 " + "x".repeat(70_000)
                }) {
            try (RawClient client = connect();
                    var connection = acceptAfter(client, "/", "Connection: close")) {
                connection.request();
                connection.send(flood);
                assertFailure(client.readToEnd(), "502 Bad Gateway", "worker_fault");
            }
        }
        assertNothingElseSuffered();
    }

    @Test
    void aConnectionThatEndsTooSoonIs502() throws IOException {
        for (String beginning :
                new String[] {
                    "",
                    "HTTP/1.1 200 OK\r\nContent-Le",
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"
                }) {
            try (RawClient client = connect();
                    var connection = acceptAfter(client, "/", "Connection: close")) {
                connection.request();
                connection.send(beginning);
                connection.leave();
                assertFailure(client.readToEnd(), "502 Bad Gateway", "worker_lost");
            }
        }
        assertNothingElseSuffered();
    }

    @Test
    void aStreamThatEndsTooSoonDoesNotLookWhole() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/")) {
            connection.request();
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
            client.readHead();
            expect(client, "3\r\none\r\n");
            connection.reset();
            client.expectEnd();
        }
        assertNothingElseSuffered();
    }

    /** As by a server that closed it while the request was on its way. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasAskedOnAConnectionThatClosesIsAskedAgainIfItMayBe(boolean silently)
            throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/1")) {
            connection.request();
            connection.answer("1");
            client.readResponse();
            client.get("/2");
            connection.request();
            if (silently) {
                connection.leave();
            } else {
                connection.reset();
            }
            try (var again = upstream.accept()) {
                assertEquals("GET /2 HTTP/1.1", again.request().line());
                again.answer("2");
                assertEquals("2", client.readResponse().text());
                client.post("/3", "once");
                again.request();
                again.reset();
                assertFailure(client.readResponse().head(), "502 Bad Gateway", "worker_lost");
            }
        }
        assertNothingElseSuffered();
    }

    /** It may be what ends the processes of the server. */
    @Test
    void whatEndsOneConnectionAfterAnotherIsAskedTwiceAtMost() throws IOException {
        try (RawClient first = connect();
                RawClient second = connect();
                var one = acceptAfter(first, "/1");
                var two = acceptAfter(second, "/2")) {
            one.request();
            two.request();
            one.answer("1");
            assertEquals("1", first.readResponse().text());
            two.answer("2");
            assertEquals("2", second.readResponse().text());
            first.get("/deadly");
            assertEquals("GET /deadly HTTP/1.1", two.request().line());
            two.reset();
            assertEquals("GET /deadly HTTP/1.1", one.request().line());
            one.reset();
            assertFailure(first.readResponse().head(), "502 Bad Gateway", "worker_lost");
        }
        assertNothingElseSuffered();
    }

    @Test
    void aClientThatLeavesEndsTheConnection() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/slow")) {
            connection.request();
            client.reset();
            connection.awaitEnd();
            pool.await(snapshot -> snapshot.workers().getFirst().counts().cancels() == 1);
            assertEquals(1, pool.snapshot().inFlight(), "the server may not have noticed");
            connection.leave();
            pool.await(snapshot -> snapshot.inFlight() == 0);
        }
        assertNothingElseSuffered();
    }

    @Test
    void whoLeavesKeepsAPlaceOfTheServerUntilThatIsDone() throws IOException {
        try (RawClient one = connect();
                RawClient two = connect();
                RawClient three = connect();
                var first = acceptAfter(one, "/1");
                var second = acceptAfter(two, "/2")) {
            first.request();
            second.request();
            one.reset();
            two.reset();
            first.awaitEnd();
            second.awaitEnd();
            three.get("/3");
            pool.await(snapshot -> snapshot.queued() == 1);
            // It answers what nobody waits for any more.
            first.answer("late");
            try (var third = upstream.accept()) {
                assertEquals("GET /3 HTTP/1.1", third.request().line());
                third.answer("3");
                assertEquals("3", three.readResponse().text());
            }
            assertEquals(1, pool.snapshot().inFlight());
            pool.advance(TestExchange.TIMEOUT.plusSeconds(2));
            pool.await(snapshot -> snapshot.inFlight() == 0);
            assertEquals(List.of(), pool.events.heard(PoolEvent.Left.class));
        }
    }

    @Test
    void deadlinesThatPassTogetherProveNothing() throws IOException {
        try (RawClient one = connect();
                RawClient two = connect();
                var first = acceptAfter(one, "/1");
                var second = acceptAfter(two, "/2")) {
            first.request();
            second.request();
            pool.advance(TestExchange.TIMEOUT.plusSeconds(1));
            assertEquals(504, one.readResponse().status());
            assertEquals(504, two.readResponse().status());
            pool.advance(Duration.ofSeconds(2));
            try (var third = acceptAfter(one, "/3")) {
                third.request();
                pool.advance(TestExchange.TIMEOUT.plusSeconds(1));
                assertEquals(504, one.readResponse().status());
                pool.advance(Duration.ofSeconds(2));
            }
            assertEquals(List.of(), pool.events.heard(PoolEvent.Left.class));
        }
        assertNothingElseSuffered();
    }

    @Test
    void aServerThatGaveUpWaitingIsAskedAgain() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/1")) {
            connection.request();
            connection.answer("1");
            client.readResponse();
            client.get("/2");
            connection.request();
            connection.send(
                    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            try (var again = upstream.accept()) {
                assertEquals("GET /2 HTTP/1.1", again.request().line());
                again.answer("2");
                assertEquals("2", client.readResponse().text());
            }
        }
        assertNothingElseSuffered();
    }

    @Test
    void headsThatAreNotWholeHaveLittleRoom() throws IOException {
        stop();
        pool =
                TestPool.startOfServers(
                        ServerLimits.DEFAULT.withBufferedBytes(64 << 20).newResponseRoom());
        server =
                HttpServer.start(ServerOptions.of(pool.pool.handler()).withLoops(pool.loops.all()));
        upstream = new ScriptedServer();
        pool.pool.connect(List.of(upstream.place()), 64);
        pool.events.await(PoolEvent.Joined.class);
        List<RawClient> clients = new ArrayList<>();
        List<ScriptedServer.Connection> connections = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            RawClient client = connect();
            clients.add(client);
            var connection = acceptAfter(client, "/" + i, "Connection: close");
            connections.add(connection);
            connection.request();
            connection.send("HTTP/1.1 200 OK\r\nX: " + "x".repeat(60_000));
        }
        pool.events.await(PoolEvent.RequestLost.class);
        for (int i = 0; i < 64; i++) {
            connections.get(i).send("\r\nContent-Length: 0\r\n\r\n");
        }
        int served = 0;
        for (RawClient client : clients) {
            String response = client.readToEnd();
            served += response.startsWith("HTTP/1.1 200") ? 1 : 0;
            client.close();
        }
        assertTrue(served > 0 && served < 64, served + " are served");
        for (var connection : connections) {
            connection.close();
        }
        assertNothingElseSuffered();
    }

    @Test
    void aServerThatIsAwayGetsRequestsWhenItIsBack() throws IOException {
        int port = upstream.port();
        upstream.close();
        try (RawClient client = connect()) {
            client.get("/");
            pool.events.await(PoolEvent.Left.class);
            pool.await(snapshot -> snapshot.queued() == 1);
            assertEquals(
                    "127.0.0.1:" + port, pool.events.await(PoolEvent.Unreachable.class).server());
            upstream = new ScriptedServer(port);
            awaitJoined();
            try (var connection = upstream.accept()) {
                connection.request();
                connection.answer("back");
                assertEquals("back", client.readResponse().text());
            }
        }
    }

    @Test
    void aServerThatIsAwayFinishesWhatItHas() throws IOException {
        int port = upstream.port();
        try (RawClient one = connect();
                RawClient two = connect();
                var connection = acceptAfter(one, "/1")) {
            connection.request();
            upstream.close();
            two.get("/2");
            pool.await(snapshot -> snapshot.queued() == 1);
            connection.answer("1");
            assertEquals("1", one.readResponse().text());
            assertEquals(LeaveReason.CLOSED, pool.events.await(PoolEvent.Left.class).reason());
            upstream = new ScriptedServer(port);
            awaitJoined();
            try (var again = upstream.accept()) {
                assertEquals("GET /2 HTTP/1.1", again.request().line());
                again.answer("2");
                assertEquals("2", two.readResponse().text());
            }
        }
    }

    @Test
    void aServerThatIsBackGetsRequestsBesideAStreamOfBefore() throws IOException {
        int port = upstream.port();
        try (RawClient stream = connect();
                RawClient client = connect();
                var connection = acceptAfter(stream, "/events")) {
            connection.request();
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
            stream.readHead();
            upstream.close();
            client.get("/");
            pool.await(snapshot -> snapshot.queued() == 1);
            upstream = new ScriptedServer(port);
            pool.advance(Duration.ofMillis(300));
            try (var again = upstream.accept()) {
                again.request();
                again.answer("back");
                assertEquals("back", client.readResponse().text());
            }
            expect(stream, "3\r\none\r\n");
            connection.send("0\r\n\r\n");
            expect(stream, "0\r\n\r\n");
        }
    }

    @Test
    void aServerThatAnswersNothingIsStuck() throws IOException {
        for (int i = 0; i < 3; i++) {
            try (RawClient client = connect();
                    var connection = acceptAfter(client, "/", "Connection: close")) {
                connection.request();
                pool.advance(TestExchange.TIMEOUT.plusSeconds(1));
                assertFailure(client.readToEnd(), "504 Gateway Timeout", "deadline");
                connection.awaitEnd();
                // That it takes connections proves nothing.
                pool.advance(Duration.ofSeconds(16));
            }
        }
        assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
        awaitJoined();
        assertNothingElseSuffered();
    }

    @Test
    void anIdleServerIsAskedWhetherItIsThere() throws IOException {
        upstream.close();
        pool.advance(Duration.ofSeconds(16));
        assertEquals(LeaveReason.CLOSED, pool.events.await(PoolEvent.Left.class).reason());
    }

    @Test
    void largeContentIsSentFromItsFile() throws IOException {
        String body = "x".repeat(300_000);
        try (RawClient client = connect()) {
            client.post("/upload", body);
            try (var connection = upstream.accept()) {
                assertEquals(body, connection.request().body());
                connection.answer("got it");
                assertEquals("got it", client.readResponse().text());
            }
        }
    }

    @Test
    void aDiskThatDoesNotAnswerHoldsUpWhatItHasAlone() throws IOException {
        String body = "x".repeat(300_000);
        StalledContent content = new StalledContent(body.getBytes(StandardCharsets.ISO_8859_1));
        try {
            TestExchange waits = pool.post("/waits", Body.stored(content, body.length()));
            try (var first = upstream.accept()) {
                first.head();
                pool.await(snapshot -> content.reads() == 1);
                TestExchange next = pool.get("/next");
                try (var second = upstream.accept()) {
                    assertEquals("GET /next HTTP/1.1", second.request().line());
                    second.answer("next");
                    next.assertResponse("next");
                }
                content.letTheDiskAnswer();
                assertEquals(body, first.read(body.length()));
                first.answer("got it");
                waits.assertResponse("got it");
            }
            pool.await(snapshot -> content.holders() == 0);
        } finally {
            content.letTheDiskAnswer();
        }
    }

    @Test
    void aServerMayRespondBeforeItHasReadTheContent() throws IOException {
        String body = "x".repeat(MORE_THAN_THE_KERNEL_HOLDS / 4);
        try (RawClient client = connect()) {
            client.post("/upload", body);
            try (var connection = upstream.accept()) {
                connection.head();
                connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
                assertEquals(413, client.readResponse().status());
            }
        }
        assertNothingElseSuffered();
    }

    @Test
    void aDrainedServerFinishesWhatItHasAndIsLeftAloneUntilAReload() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/")) {
            connection.request();
            var drained = pool.pool.drainWorker("default-1");
            pool.await(snapshot -> snapshot.workers().getFirst().state().equals("draining"));
            assertFalse(drained.isDone());
            connection.answer("last");
            assertEquals("last", client.readResponse().text());
            assertEquals(LeaveReason.DRAINED, pool.events.await(PoolEvent.Left.class).reason());
            assertEquals(new PoolChange.Done(1), drained.join());
            assertEquals("leaving", pool.snapshot().workers().getFirst().state());
            assertEquals(new PoolChange.Done(1), pool.pool.reload().join());
            awaitJoined();
        }
        assertNothingElseSuffered();
    }

    /** Reloads in a row would use up the descriptors otherwise, where requests are slow. */
    @Test
    void whatADrainedServerHoldsCountsForThePool() throws IOException {
        stop();
        ScriptedServer other = new ScriptedServer();
        start(PoolLimits.DEFAULT, options -> options, 1, other);
        try (other;
                RawClient client = connect();
                RawClient waiting = connect()) {
            client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
            try (var drained = upstream.accept();
                    var free = other.accept()) {
                drained.request();
                free.request();
                var _ = pool.pool.drainWorker("default-1");
                pool.await(snapshot -> snapshot.concurrency() == 1);
                waiting.get("/3");
                pool.await(snapshot -> snapshot.queued() == 1);
                free.answer("free");
                pool.await(snapshot -> snapshot.inFlight() == 1);
                assertEquals(1, pool.snapshot().queued());

                drained.answer("drained");
                assertEquals("GET /3 HTTP/1.1", free.request().line());
                free.answer("at last");
                assertEquals("at last", waiting.readResponse().text());
            }
        }
    }

    @Test
    void contentThatComesIsSentInChunks() throws IOException {
        stop();
        start(PoolLimits.DEFAULT.withContentAsItComes(true), options -> options);
        try (RawClient client = connect()) {
            client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
            try (var connection = upstream.accept()) {
                assertTrue(connection.head().contains("\r\ntransfer-encoding: chunked\r\n"));
                assertEquals("3\r\none\r\n", connection.read(8));
                client.send("3\r\ntwo\r\n0\r\n\r\n");
                assertEquals("3\r\ntwo\r\n0\r\n\r\n", connection.read(13));
                connection.answer("both");
                assertEquals("both", client.readResponse().text());
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\none");
                String head = connection.head();
                assertTrue(head.contains("\r\ncontent-length: 6\r\n"), head);
                assertEquals("one", connection.read(3));
                client.send("two");
                assertEquals("two", connection.read(3));
                connection.answer("known");
                assertEquals("known", client.readResponse().text());
            }
        }
    }

    /** Another request is answered, and nothing is left of the one before. */
    private void assertNothingElseSuffered() throws IOException {
        try (RawClient client = connect();
                var connection = acceptAfter(client, "/after")) {
            assertEquals("GET /after HTTP/1.1", connection.request().line());
            connection.answer("after");
            assertEquals("after", client.readResponse().text());
        }
        pool.await(snapshot -> snapshot.inFlight() == 0 && snapshot.queued() == 0);
    }

    /** It is tried again and again, with pauses. Nothing that waits meanwhile may wait too long. */
    private void awaitJoined() {
        for (int i = 0; i < 20 && !isReady(); i++) {
            pool.advance(Duration.ofMillis(100));
            long deadline = System.nanoTime() + Duration.ofMillis(500).toNanos();
            while (!isReady() && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
        }
        assertTrue(isReady(), "it is not in the pool");
    }

    private boolean isReady() {
        return pool.snapshot().workers().getFirst().state().equals("ready");
    }

    private static void expect(RawClient client, String text) throws IOException {
        assertEquals(text, new String(client.read(text.length()), StandardCharsets.ISO_8859_1));
    }

    private RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    private ScriptedServer.Connection acceptAfter(RawClient client, String target, String... fields)
            throws IOException {
        client.get(target, fields);
        return upstream.accept();
    }

    private static void assertFailure(String response, String status, String code) {
        assertTrue(response.startsWith("HTTP/1.1 " + status + "\r\n"), response);
        assertTrue(response.contains("handoff-error: " + code + "\r\n"), response);
    }
}

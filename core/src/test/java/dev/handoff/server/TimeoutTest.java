package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeoutTest {
    private static final Duration ALMOST = Duration.ofNanos(1);
    private static final Duration HEADER = Duration.ofSeconds(10);
    private static final Duration BODY = Duration.ofSeconds(30);
    private static final Duration IDLE = Duration.ofSeconds(60);
    private static final Duration WRITE_STALL = Duration.ofSeconds(20);
    private static final Duration LINGER = Duration.ofSeconds(2);
    private static final int BODY_PROGRESS_BYTES = 64 * 1024;

    /** Of a body, how much need not come with the least rate. */
    private static final int UNHURRIED_BYTES = 1024 * 1024;

    /** With the least rate that is asked for unless somebody chose another. */
    private static final int BODY_BYTES_IN_TIME = 4096 * (int) BODY.toSeconds();

    private static final ServerLimits LIMITS =
            ServerLimits.DEFAULT
                    .withHeaderTimeout(HEADER)
                    .withBodyTimeout(BODY)
                    .withIdleTimeout(IDLE)
                    .withWriteTimeout(WRITE_STALL)
                    .withRequestTimeout(Duration.ofHours(1));

    @Test
    void aHeadThatDoesNotArriveInTimeIsAnswered408() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient client = server.connect()) {
            client.send("GET / HTTP/1.1\r\n");
            server.advance(HEADER.dividedBy(2));
            client.send("Host:");
            server.advance(HEADER.dividedBy(2).minus(ALMOST));
            assertEquals(1, server.http.connections());
            expectUnanswered(server);
            server.advance(ALMOST);

            expectTimeout(client, "head_timeout");
        }
    }

    @Test
    void aBodyThatDoesNotArriveInTimeIsAnswered408() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient client = server.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
            server.advance(BODY.minus(ALMOST));
            client.send("x");
            expectUnanswered(server);
            server.advance(ALMOST);

            expectTimeout(client, "body_timeout");
        }
    }

    @Test
    void aBodyThatComesOnHasMoreTime() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient client = server.connect()) {
            client.send(
                    "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
                            .formatted(3 * BODY_PROGRESS_BYTES));
            for (int i = 0; i < 3; i++) {
                server.advance(BODY.minus(ALMOST));
                client.send(new byte[BODY_PROGRESS_BYTES]);
            }

            assertEquals("/large", client.readResponse().text());
        }
    }

    @Test
    void aLargeBodyThatComesWithTheLeastRateIsTaken() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient client = server.connect()) {
            sendUnhurried(server, client, UNHURRIED_BYTES + 3 * BODY_BYTES_IN_TIME);
            for (int i = 0; i < 3; i++) {
                server.advance(BODY.minus(ALMOST));
                client.send(new byte[BODY_BYTES_IN_TIME]);
            }

            assertEquals("/large", client.readResponse().text());
        }
    }

    @Test
    void aLargeBodyThatComesMoreSlowlyIsAnswered408() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient client = server.connect()) {
            long sent = sendUnhurried(server, client, UNHURRIED_BYTES + 3 * BODY_BYTES_IN_TIME);
            client.send(new byte[BODY_BYTES_IN_TIME - 1]);
            awaitReceived(server, sent + BODY_BYTES_IN_TIME - 1);
            server.advance(BODY.minus(ALMOST));
            expectUnanswered(server);
            server.advance(ALMOST);

            expectTimeout(client, "body_timeout");
        }
    }

    @Test
    void withoutALeastRateALargeBodyMayComeLikeASmallOne() throws IOException {
        ServerLimits limits = ServerLimits.DEFAULT.withBodyTimeout(BODY).withMinBodyRate(0);
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient client = server.connect()) {
            sendUnhurried(server, client, UNHURRIED_BYTES + 3 * BODY_PROGRESS_BYTES);
            for (int i = 0; i < 3; i++) {
                server.advance(BODY.minus(ALMOST));
                client.send(new byte[BODY_PROGRESS_BYTES]);
            }

            assertEquals("/large", client.readResponse().text());
        }
    }

    @Test
    void aSlowHeadBehindAResponseThatIsOwedIsRefusedBehindIt()
            throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, LIMITS);
                RawClient client = server.connect()) {
            client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET / HT");
            server.advance(HEADER);
            server.listener.await("refused HEAD_TIMEOUT");
            HeldRequests.answer(held.take());

            assertEquals("/slow", client.readResponse().text());
            expectTimeout(client, "head_timeout");
        }
    }

    @Test
    void anIdleConnectionIsClosedSilently() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient silent = server.connect();
                RawClient used = server.connect()) {
            server.advance(IDLE.minus(ALMOST));
            used.get("/").readResponse();
            server.advance(ALMOST);
            silent.expectEnd();
            silent.leave();
            server.listener.await("closed IDLE_TIMEOUT");

            server.advance(IDLE.minus(ALMOST).minus(ALMOST));
            assertEquals(1, server.http.connections());
            server.advance(ALMOST);
            used.expectEnd();
        }
    }

    @Test
    void aConnectionWithARequestInHandIsNotIdle() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, LIMITS);
                RawClient client = server.connect()) {
            client.get("/slow");
            Exchange exchange = held.take();
            server.advance(IDLE.multipliedBy(3));
            HeldRequests.answer(exchange);

            assertEquals("/slow", client.readResponse().text());
        }
    }

    @Test
    void aClientThatStaysAfterTheLastResponseIsClosedAfterLingering()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, LIMITS);
                RawClient client = server.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").readToEnd();
            server.advance(LINGER.minus(ALMOST));
            assertEquals(1, server.http.connections());
            server.advance(ALMOST);

            server.listener.await("closed NOT_PERSISTENT");
        }
    }

    @Test
    void aClientThatTakesNothingOfItsResponseIsClosed() throws IOException, InterruptedException {
        Response large = Response.text(200, "x".repeat(20_000_000));
        try (TestServer server = TestServer.start(e -> e.respond(large), LIMITS);
                RawClient client = new RawClient(server.http.port(), 4096)) {
            client.get("/");
            server.listener.await("response / 200");
            server.advance(WRITE_STALL.minus(ALMOST));
            assertEquals(1, server.http.connections());

            // Until then the kernel may have taken more for it, from which the wait begins anew.
            server.settleUntil(() -> {
                server.advance(WRITE_STALL);
                return server.http.connections() == 0;
            });
            server.listener.await("closed WRITE_TIMEOUT");
        }
    }

    @Test
    void aClientThatTookItsResponseSlowlyIsIdleOnlyFromThen() throws IOException {
        Response large = Response.text(200, "x".repeat(20_000_000));
        ServerLimits limits =
                ServerLimits.DEFAULT.withIdleTimeout(IDLE).withWriteTimeout(IDLE.multipliedBy(10));
        try (TestServer server = TestServer.start(e -> e.respond(large), limits);
                RawClient client = new RawClient(server.http.port(), 4096)) {
            client.get("/");
            server.advance(IDLE.plus(IDLE.dividedBy(2)));
            assertEquals(200, client.readResponse().status());
            server.settle();

            server.advance(IDLE.minus(ALMOST));
            client.get("/");
            assertEquals(200, client.readResponse().status());
        }
    }

    @Test
    void limitsMustBePositive() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ServerLimits.DEFAULT.withIdleTimeout(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> ServerLimits.DEFAULT.withConnections(0));
        assertThrows(
                IllegalArgumentException.class,
                () -> ServerLimits.DEFAULT.withConnectionsPerClient(-1));
        assertThrows(
                IllegalArgumentException.class, () -> ServerLimits.DEFAULT.withMinBodyRate(-1));
    }

    /**
     * Sends the head of an upload and as much of its body as may come as slowly as it likes, in
     * portions that the server sees whole.
     */
    private static long sendUnhurried(TestServer server, RawClient client, int bytes)
            throws IOException {
        String head =
                "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(bytes);
        client.send(head);
        long sent = head.length();
        awaitReceived(server, sent);
        for (int came = 0; came < UNHURRIED_BYTES; came += BODY_PROGRESS_BYTES) {
            client.send(new byte[BODY_PROGRESS_BYTES]);
            sent += BODY_PROGRESS_BYTES;
            awaitReceived(server, sent);
        }
        return sent;
    }

    private static void awaitReceived(TestServer server, long bytes) {
        server.settleUntil(() -> server.listener.receivedBytes() >= bytes);
    }

    private static void expectUnanswered(TestServer server) {
        server.settle();
        assertEquals(List.of("opened"), server.listener.told());
    }

    private static void expectTimeout(RawClient client, String rule) throws IOException {
        RawResponse response = client.readResponse();
        assertEquals(408, response.status());
        assertEquals(rule, response.header("handoff-error"));
        assertEquals("close", response.header("connection"));
        client.expectEnd();
    }
}

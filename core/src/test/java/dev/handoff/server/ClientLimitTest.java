package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.server.forwarding.TrustedProxies;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link ServerLimits#connectionsPerClient}. */
class ClientLimitTest {
    @Test
    void oneConnectionMoreThanAClientMayHaveIsClosedAtOnce()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits(2));
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            assertEquals("/", first.get("/").readResponse().text());
            assertEquals("/", second.get("/").readResponse().text());
            try (RawClient third = server.connect()) {
                assertThrows(IOException.class, () -> third.get("/").readResponse());
                server.listener.await("client limit");
            }
            assertEquals(2, server.http.connections());
            first.leave();
            server.settleUntil(() -> server.http.connections() == 1);
            try (RawClient third = server.connect()) {
                assertEquals("/", third.get("/").readResponse().text());
            }
        }
    }

    @Test
    void otherClientsHaveTheirOwn() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits(1));
                RawClient first = server.connect();
                RawClient other = RawClient.from("127.0.0.2", server.http.port())) {
            assertEquals("/", first.get("/").readResponse().text());
            assertEquals("/", other.get("/").readResponse().text());
        }
    }

    @Test
    void aConnectionThatIsRefusedCostsNobodyItsPlace() throws IOException, InterruptedException {
        ServerLimits limits = limits(1).withConnections(3);
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient first = server.connect();
                RawClient other = RawClient.from("127.0.0.2", server.http.port())) {
            assertEquals("/", other.get("/").readResponse().text());
            assertEquals("/", first.get("/").readResponse().text());
            server.advance(Duration.ofSeconds(2));
            for (int i = 0; i < 5; i++) {
                RawClient more = server.connect();
                server.listener.await("client limit");
                more.leave();
            }
            assertEquals("/", other.get("/").readResponse().text());
            assertFalse(server.listener.told().contains("closed EVICTED"));
        }
    }

    @Test
    void aTrustedProxyMayHaveAnyNumberButEachOfItsClientsSoManyRequestsInHand()
            throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(trusting(held, 1));
                RawClient one = server.connect();
                RawClient two = server.connect();
                RawClient three = server.connect()) {
            ask(one, "/one", "192.0.2.1");
            Exchange first = held.take();
            ask(two, "/two", "192.0.2.2");
            Exchange second = held.take();
            ask(three, "/three", "192.0.2.1");

            RawResponse refused = three.readResponse();
            assertEquals(429, refused.status());
            assertEquals("client_limit", refused.header("handoff-error"));
            server.listener.await("client limit");
            HeldRequests.answer(first);
            HeldRequests.answer(second);
            assertEquals("/one", one.readResponse().text());
            assertEquals("/two", two.readResponse().text());
            // The proxy's connection stays, and its client may go on.
            ask(three, "/again", "192.0.2.1");
            HeldRequests.answer(held.take());
            assertEquals("/again", three.readResponse().text());
        }
    }

    @Test
    void aRequestThatIsAbandonedIsNotInHand() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(trusting(held, 1));
                RawClient two = server.connect()) {
            try (RawClient one = server.connect()) {
                ask(one, "/one", "192.0.2.1");
                held.take();
                one.reset();
            }
            server.listener.await("abandoned /one CLIENT_GONE");
            ask(two, "/two", "192.0.2.1");
            HeldRequests.answer(held.take());
            assertEquals("/two", two.readResponse().text());
        }
    }

    @Test
    void whatAProxyAsksItselfIsNotLimited() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(trusting(held, 1));
                RawClient one = server.connect();
                RawClient two = server.connect()) {
            one.get("/one");
            two.get("/two");
            for (Exchange exchange : held.take(2)) {
                HeldRequests.answer(exchange);
            }
            assertEquals("/one", one.readResponse().text());
            assertEquals("/two", two.readResponse().text());
        }
    }

    /** Who forges a field that the proxy passes on must not have the proxy's rights. */
    @Test
    void clientsThatAreNotKnownBehindAProxyAreOne() throws IOException, InterruptedException {
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(trusting(held, 1));
                RawClient one = server.connect();
                RawClient two = server.connect()) {
            one.get("/one", "X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.9");
            Exchange first = held.take();
            two.get("/two", "Forwarded: for=\", for=192.0.2.1");
            assertEquals("client_limit", two.readResponse().header("handoff-error"));
            HeldRequests.answer(first);
            assertEquals("/one", one.readResponse().text());
        }
    }

    @Test
    void addressesOfOneIpv6NetworkAreOneClient() {
        ClientLimit limit = new ClientLimit(1, null);
        assertTrue(limit.enter(InetAddress.ofLiteral("2001:db8:0:1::1")));
        assertFalse(limit.enter(InetAddress.ofLiteral("2001:db8:0:1:ffff::2")));
        assertTrue(limit.enter(InetAddress.ofLiteral("2001:db8:0:2::1")));
        assertTrue(limit.enter(InetAddress.ofLiteral("192.0.2.1")));
        assertTrue(limit.enter(InetAddress.ofLiteral("192.0.2.2")));
        assertFalse(limit.enter(InetAddress.ofLiteral("::ffff:192.0.2.2")));
    }

    @Test
    void keepsNoCountOfClientsThatHaveNothing() {
        ClientLimit limit = new ClientLimit(2, null);
        InetAddress client = InetAddress.ofLiteral("192.0.2.1");
        assertTrue(limit.enter(client));
        assertTrue(limit.enter(client));
        assertFalse(limit.enter(client));
        assertEquals(1, limit.clients());
        limit.leave(client);
        limit.leave(client);
        assertEquals(0, limit.clients());
    }

    private static ServerLimits limits(int perClient) {
        return ServerLimits.DEFAULT.withConnectionsPerClient(perClient);
    }

    private static ServerOptions trusting(Handler handler, int perClient) {
        return ServerOptions.of(handler)
                .withLimits(limits(perClient))
                .withTrustedProxies(TrustedProxies.of(List.of("127.0.0.1")));
    }

    private static void ask(RawClient proxy, String target, String client) throws IOException {
        proxy.send(
                "GET %s HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: %s\r\n\r\n"
                        .formatted(target, client));
    }
}

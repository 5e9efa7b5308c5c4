package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Starting, draining and stopping. */
class EndingTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final HeldRequests held = new HeldRequests();

    @Test
    void drainingClosesIdleConnections() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.get("/").readResponse();
            CompletableFuture<Void> drained = server.http.drain(LONG);
            server.settle();
            assertFalse(drained.isDone());
            server.advance(Duration.ofSeconds(1));
            client.expectEnd();
            client.leave();

            await(drained);
            server.listener.await("closed DRAINED");
            expectRefused(server);
        }
    }

    @Test
    void aRequestInHandIsAnsweredWithConnectionClose() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/in-hand");
            Exchange exchange = held.take();
            CompletableFuture<Void> drained = server.http.drain(LONG);
            server.settle();
            expectRefused(server);
            HeldRequests.answer(exchange);

            RawResponse response = client.readResponse();
            assertEquals("/in-hand", response.text());
            assertEquals("close", response.header("connection"));
            client.expectEnd();
            assertFalse(drained.isDone());
            client.leave();
            await(drained);
        }
    }

    @Test
    void aRequestOnItsWayWhenDrainingBeginsIsAnswered() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            server.settle();
            CompletableFuture<Void> drained = server.http.drain(LONG);
            server.settle();
            client.get("/late");
            HeldRequests.answer(held.take());

            assertEquals("close", client.readResponse().header("connection"));
            client.expectEnd();
            client.leave();
            await(drained);
        }
    }

    /** The loop is held for so long that the drain finds clients which it has not accepted yet. */
    @Test
    void whoHasConnectedBeforeIsAnswered() throws IOException, InterruptedException {
        int clients = 100; // more than the loop accepts in one turn
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch connected = new CountDownLatch(1);
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET)) {
            server.loops
                    .get(0)
                    .execute(() -> {
                        reached.countDown();
                        awaitOpen(connected);
                    });
            awaitOpen(reached);
            CompletableFuture<Void> drained = server.http.drain(LONG);
            List<RawClient> waiting = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                waiting.add(server.connect().get("/waited"));
            }
            connected.countDown();

            for (RawClient client : waiting) {
                try (client) {
                    RawResponse response = client.readResponse();
                    assertEquals("/waited", response.text());
                    assertEquals("close", response.header("connection"));
                    client.expectEnd();
                }
            }
            await(drained);
            expectRefused(server);
        }
    }

    @Test
    void onlyTheLastOfPipelinedResponsesClosesWhileDraining()
            throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withPipelinedRequests(1);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.get("/a").get("/b").get("/c");
            Exchange first = held.take();
            server.settle();
            CompletableFuture<Void> drained = server.http.drain(LONG);
            server.settle();
            HeldRequests.answer(first);
            HeldRequests.answer(held.take());
            HeldRequests.answer(held.take());

            assertEquals("", client.readResponse().header("connection"));
            assertEquals("", client.readResponse().header("connection"));
            assertEquals("close", client.readResponse().header("connection"));
            client.expectEnd();
            client.leave();
            await(drained);
        }
    }

    @Test
    void requestsThatCameTogetherAreAllAnsweredWhileDraining()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            server.settle();
            CompletableFuture<Void> drained = server.http.drain(LONG);
            server.settle();
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n");

            assertEquals("", client.readResponse().header("connection"));
            assertEquals("close", client.readResponse().header("connection"));
            client.leave();
            await(drained);
        }
    }

    @Test
    void drainingAServerWithoutConnectionsIsDoneAtOnce() throws IOException {
        try (TestServer server = TestServer.start(held)) {
            await(server.http.drain(LONG));
            server.settle();

            expectRefused(server);
        }
    }

    @Test
    void drainingCutsWhatIsStillOpenAtItsLimit() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/never");
            held.take();
            await(server.http.drain(Duration.ofMillis(20)));

            assertEquals(0, server.http.connections());
            assertEquals("/never SERVER_STOPPED", held.takeAbandoned());
            server.listener.await("closed STOPPED");
            client.expectEnd();
        }
    }

    @Test
    void stoppingClosesEverythingOnAllLoops() throws IOException, InterruptedException {
        try (TestServer server = TestServer.startOnLoops(2, held);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            first.get("/1");
            second.get("/2");
            held.take(2);
            server.http.stop();

            first.expectEnd();
            second.expectEnd();
            held.takeAbandoned();
            held.takeAbandoned();
            server.settle();
            expectRefused(server);
            assertEquals(0, server.http.connections());
        }
    }

    @Test
    void drainingAStoppedServerIsDone() throws IOException {
        try (TestServer server = TestServer.start(held)) {
            server.http.stop();

            await(server.http.drain(LONG));
        }
    }

    @Test
    void afterItsLoopsHaveStoppedThereIsNothingToWaitFor() throws Exception {
        TestServer server = TestServer.start(held);
        try (RawClient client = server.connect()) {
            client.get("/");
            Exchange late = held.take();
            server.close();

            await(server.http.drain(LONG));
            server.http.stop();
            late.respond(Response.text(200, "x".repeat(ResponseRoom.SMALL_BYTES + 1)));
            late.fail(new IllegalStateException("too late"));
            assertEquals(0, server.http.responseRoom().bytes());
        }
    }

    @Test
    void aServerThatOwnsItsLoopsServesAndStops() throws IOException, InterruptedException {
        RecordingListener listener = new RecordingListener();
        HttpServer server =
                HttpServer.start(
                        ServerOptions.of(TestServer.ECHO_TARGET)
                                .withLoops(2)
                                .withListener(listener));
        try (RawClient client = new RawClient(server.port())) {
            assertEquals("/", client.get("/").readResponse().text());
            server.stop();
            listener.await("closed STOPPED");
            client.expectEnd();
        }
    }

    @Test
    void serversOnOneListeningChannelFollowEachOtherWithoutRefusing()
            throws IOException, InterruptedException {
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            HttpServer first = serverOn(listening);
            assertEquals(List.of(listening.getLocalAddress()), first.addresses());
            try (RawClient client = new RawClient(first.port())) {
                assertEquals("/1", client.get("/1").readResponse().text());
            }
            await(first.drain(LONG));

            try (RawClient waits = new RawClient(first.port())) {
                waits.get("/2");
                HttpServer second = serverOn(listening);
                assertEquals("/2", waits.readResponse().text());
                second.stop();
                waits.expectEnd();
            }
            assertTrue(listening.isOpen());
        }
    }

    @Test
    void aChannelThatIsNotBoundToATcpPortIsAnIoException() throws IOException {
        try (ServerSocketChannel unbound = ServerSocketChannel.open()) {
            assertThrows(IOException.class, () -> serverOn(unbound));
        }
        try (ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            unix.bind(null);
            try {
                assertThrows(IOException.class, () -> serverOn(unix));
            } finally {
                Files.delete(((UnixDomainSocketAddress) unix.getLocalAddress()).getPath());
            }
        }
    }

    @Test
    void anAddressThatCannotBeBoundIsAnIoException() throws IOException {
        try (TestServer server = TestServer.start(held)) {
            ServerOptions same = ServerOptions.of(held).withPort(server.http.port());
            assertThrows(BindException.class, () -> HttpServer.start(same));
            ServerOptions nowhere = ServerOptions.of(held).withHost("no such host");
            assertThrows(UnknownHostException.class, () -> HttpServer.start(nowhere));
        }
    }

    private static HttpServer serverOn(ServerSocketChannel listening) throws IOException {
        return HttpServer.start(
                ServerOptions.of(TestServer.ECHO_TARGET).withLoops(1).withListening(listening));
    }

    private static void awaitOpen(CountDownLatch gate) {
        try {
            assertTrue(gate.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static void await(CompletableFuture<Void> drained) {
        drained.orTimeout(60, TimeUnit.SECONDS).join();
        assertTrue(drained.isDone());
    }

    private static void expectRefused(TestServer server) {
        server.settle();
        assertThrows(IOException.class, () -> server.connect().close());
    }
}

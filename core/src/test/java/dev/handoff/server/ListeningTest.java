package dev.handoff.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.server.forwarding.TrustedProxies;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that accepts at several places. */
final class ListeningTest {
    /** Answers with the client, the scheme, and the field that proxies write. */
    private static final Handler TELL =
            exchange ->
                    exchange.respond(
                            Response.text(
                                    200,
                                    "%s %s %s"
                                            .formatted(
                                                    exchange.client(),
                                                    exchange.origin().scheme(),
                                                    exchange.request()
                                                            .headers()
                                                            .first("x-forwarded-for"))));

    @TempDir private Path folder;

    @Test
    void servesAtPortsAndFiles() throws IOException {
        Path file = folder.resolve("http.sock");
        Listening one = Listening.on(loopback(0));
        Listening other = Listening.on(loopback(0));
        try (TestServer server = start(TELL, List.of(one, Listening.at(file), other))) {
            assertEquals(
                    List.of(one.address(), UnixDomainSocketAddress.of(file), other.address()),
                    server.http.addresses());
            assertEquals(port(one), server.http.port());
            assertEquals(
                    List.of("127.0.0.1:" + port(one), "unix:" + file, "127.0.0.1:" + port(other)),
                    server.http.addressTexts());
            for (Listening each : List.of(one, other)) {
                try (RawClient client = new RawClient(port(each))) {
                    String self = "127.0.0.1:" + client.localPort();
                    assertEquals(self + " http null", client.get("/").readResponse().text());
                }
            }
            assertEquals(
                    PosixFilePermissions.fromString("rw-rw-rw-"),
                    Files.getPosixFilePermissions(file));
            assertEquals("unix:0 http null", askAlone(file, ""));
        }
    }

    @Test
    void requestsTellByWhichNameTheirPlaceGoes() throws IOException {
        Path file = folder.resolve("http.sock");
        Handler place = exchange -> exchange.respond(Response.text(200, exchange.origin().place()));
        Listening unnamed = Listening.on(loopback(0));
        Listening named = Listening.on(loopback(0)).named("door");
        try (TestServer server = start(place, List.of(unnamed, named, Listening.at(file)))) {
            assertEquals(
                    List.of("127.0.0.1:" + port(unnamed), "door", "unix:" + file),
                    server.http.placeNames());
            for (Listening each : List.of(unnamed, named)) {
                try (RawClient client = new RawClient(port(each))) {
                    assertEquals(each.name(), client.get("/").readResponse().text());
                }
            }
            assertEquals("unix:" + file, askAlone(file, ""));
        }
    }

    /** A crowd at one place would otherwise take all that becomes free. */
    @Test
    void placesTakeTurnsWhereAllConnectionsAreTaken() throws Exception {
        HeldRequests held = new HeldRequests();
        Listening crowded = Listening.on(loopback(0));
        Listening other = Listening.on(loopback(0));
        ServerOptions options =
                ServerOptions.of(held)
                        .withListening(List.of(crowded, other))
                        .withLimits(ServerLimits.DEFAULT.withConnections(1));
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.start(options)) {
            List<Integer> ports =
                    List.of(
                            port(crowded),
                            port(crowded),
                            port(crowded),
                            port(crowded),
                            port(other));
            for (int port : ports) {
                RawClient client = new RawClient(port);
                clients.add(client);
                client.get("/" + clients.size());
                server.settle();
            }
            server.listener.await("paused");
            List<String> served = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                String target = held.take().request().target();
                served.add(target);
                clients.get(Integer.parseInt(target.substring(1)) - 1).reset();
            }
            assertTrue(served.contains("/5"), served.toString());
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void whoConnectsBeforeAPlaceOpensWaits() throws IOException {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Listening open = Listening.on(loopback(0));
        Listening late = Listening.on(loopback(0)).openingWhen(ready);
        try (TestServer server = start(TELL, List.of(open, late));
                RawClient early = new RawClient(port(late))) {
            early.get("/");
            try (RawClient beside = new RawClient(port(open))) {
                assertEquals(200, beside.get("/").readResponse().status());
                assertEquals(1, server.http.connections());
            }
            ready.complete(null);
            assertEquals(200, early.readResponse().status());
        }
    }

    @Test
    void aPlaceThatOpensAfterTheEndStaysClosed() throws Exception {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Listening shared = Listening.on(loopback(0));
        Listening borrowed = Listening.borrowing(shared.channel()).openingWhen(ready);
        try (TestServer server = start(TELL, List.of(borrowed));
                RawClient waits = new RawClient(port(shared))) {
            waits.get("/");
            server.http.drain(Duration.ofMinutes(1)).get(20, TimeUnit.SECONDS);
            ready.complete(null);
            try (TestServer next = start(TELL, List.of(shared))) {
                assertEquals(200, waits.readResponse().status());
                assertEquals(1, next.http.connections());
            }
            assertEquals(0, server.http.connections());
        }
    }

    @Test
    void aDrainServesWhoHasConnectedAndRemovesTheFile() throws IOException, InterruptedException {
        Path file = folder.resolve("http.sock");
        HeldRequests held = new HeldRequests();
        try (TestServer server =
                        start(held, List.of(Listening.on(loopback(0)), Listening.at(file)));
                SocketChannel inHand = connect(file)) {
            send(inHand, "/", "");
            Exchange request = held.take();
            try (SocketChannel waits = connect(file)) {
                var _ = server.http.drain(Duration.ofMinutes(1));
                send(waits, "/waits", "");
                HeldRequests.answer(held.take());
                assertTrue(readAll(waits).endsWith("/waits"));
            }
            assertFalse(Files.exists(file));
            assertThrows(IOException.class, () -> connect(file).close());
            HeldRequests.answer(request);
            assertTrue(readAll(inHand).endsWith("/"));
        }
    }

    /** The system gives the number that our file had to others by then: here by a link. */
    @Test
    void aServerThatDrainsLeavesTheFileOfTheNextAlone() throws IOException, InterruptedException {
        Path file = folder.resolve("http.sock");
        HeldRequests held = new HeldRequests();
        try (TestServer first = start(held, List.of(Listening.at(file)));
                SocketChannel inHand = connect(file)) {
            Path sameNumber = Files.createLink(folder.resolve("same"), file);
            send(inHand, "/", "");
            Exchange request = held.take();
            var _ = first.http.drain(Duration.ofMinutes(1));
            first.settleUntil(() -> !Files.exists(file));
            first.settle();
            Files.move(sameNumber, file);
            HeldRequests.answer(request);
            assertTrue(readAll(inHand).endsWith("/"));
            first.http.stop();
            first.settle();
            assertTrue(Files.exists(file));
        }
    }

    @Test
    void takesThePlaceOfADeadServerOnly() throws IOException {
        Path file = folder.resolve("http.sock");
        Listening dead = Listening.at(file);
        dead.channel().close();
        assertTrue(Files.exists(file));
        try (TestServer server = start(TELL, List.of(Listening.at(file)))) {
            IOException living = assertThrows(IOException.class, () -> Listening.at(file));
            assertEquals("another server listens on " + file, living.getMessage());
            assertEquals("unix:0 http null", askAlone(file, ""));
            assertEquals(List.of(UnixDomainSocketAddress.of(file)), server.http.addresses());
        }
        Path other = Files.writeString(folder.resolve("text"), "mine");
        IOException noSocket = assertThrows(IOException.class, () -> Listening.at(other));
        assertEquals("not a socket, so it is not replaced: " + other, noSocket.getMessage());
        assertEquals("mine", Files.readString(other));
    }

    /** A connection to it would wait until it accepts others. */
    @Test
    @Timeout(10)
    void aServerThatHasNoRoomForMoreConnectionsIsNotWaitedFor() throws IOException {
        Path file = folder.resolve("busy.sock");
        List<SocketChannel> clients = new ArrayList<>();
        try (ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            busy.bind(UnixDomainSocketAddress.of(file), 1);
            // Linux takes one more than it is told.
            for (int i = 0; i < 2; i++) {
                clients.add(connect(file));
            }
            IOException living = assertThrows(IOException.class, () -> Listening.at(file));
            assertTrue(
                    String.valueOf(living.getMessage()).contains("who listens on " + file),
                    living.getMessage());
        }
        for (SocketChannel client : clients) {
            client.close();
        }
    }

    @Test
    void aPlaceThatIsTakenIsAnIoException() throws IOException {
        Listening first = Listening.on(loopback(0));
        assertThrows(BindException.class, () -> Listening.on(loopback(port(first))));
        first.close();
    }

    @Test
    void countsTheConnectionsOfAllPlacesTogether() throws IOException, InterruptedException {
        Path file = folder.resolve("http.sock");
        ServerOptions options =
                ServerOptions.of(TELL)
                        .withLimits(ServerLimits.DEFAULT.withConnections(1))
                        .withListening(List.of(Listening.on(loopback(0)), Listening.at(file)));
        try (TestServer server = TestServer.start(options)) {
            RawClient client = server.connect();
            client.get("/").readResponse();
            try (SocketChannel second = connect(file)) {
                send(second, "/", "");
                server.listener.await("paused");
                client.close();
                assertTrue(readAll(second).endsWith("unix:0 http null"));
            }
        }
    }

    @Test
    void whoeverConnectsToAFileIsTrustedOnlyWhereThatIsSaid() throws IOException {
        String fields = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n";
        assertEquals("unix:0 http 192.0.2.1", askTrusting(null, fields));
        assertEquals("unix:0 http null", askTrusting(List.of("127.0.0.1"), fields));
        assertEquals("192.0.2.1:0 https 192.0.2.1", askTrusting(List.of("unix"), fields));
        assertEquals(
                "unix:0 https null",
                askTrusting(List.of("unix", "10.0.0.0/8"), "X-Forwarded-Proto: https\r\n"));
        assertEquals(
                "192.0.2.1:0 http 192.0.2.1, 10.1.1.1",
                askTrusting(
                        List.of("10.0.0.0/8", "unix"),
                        "X-Forwarded-For: 6.6.6.6, 192.0.2.1, 10.1.1.1\r\n"));
        assertEquals(
                "unix:0 http null",
                askTrusting(
                        List.of("unix"),
                        "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.2\r\n"));
        assertEquals(
                "unix:0 http unknown",
                askTrusting(
                        List.of("unix"), "X-Forwarded-For: unknown\r\nForwarded: for=unknown\r\n"));
    }

    private String askTrusting(@Nullable List<String> proxies, String fields) throws IOException {
        Path file = folder.resolve("trusted.sock");
        ServerOptions options = ServerOptions.of(TELL).withListening(List.of(Listening.at(file)));
        try (TestServer server =
                TestServer.start(
                        proxies == null
                                ? options
                                : options.withTrustedProxies(TrustedProxies.of(proxies)))) {
            String told = askAlone(file, fields);
            assertEquals(0, server.http.port());
            return told;
        }
    }

    private static TestServer start(Handler handler, List<Listening> places) throws IOException {
        return TestServer.start(ServerOptions.of(handler).withListening(places));
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static int port(Listening place) {
        return ((InetSocketAddress) place.address()).getPort();
    }

    private static SocketChannel connect(Path file) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(file));
    }

    private static void send(SocketChannel channel, String target, String fields)
            throws IOException {
        String request =
                "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s\r\n"
                        .formatted(target, fields);
        channel.write(ByteBuffer.wrap(request.getBytes(ISO_8859_1)));
    }

    private static String readAll(SocketChannel channel) throws IOException {
        return new String(Channels.newInputStream(channel).readAllBytes(), ISO_8859_1);
    }

    /** The content of the response. */
    private static String askAlone(Path file, String fields) throws IOException {
        try (SocketChannel channel = connect(file)) {
            send(channel, "/", fields);
            String response = readAll(channel);
            return response.substring(response.indexOf("\r\n\r\n") + 4);
        }
    }
}

package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.ParserLimits;
import dev.handoff.http.Response;
import dev.handoff.server.forwarding.TrustedProxies;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import dev.handoff.testing.TestCertificate;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and responses over TLS, as the JDK's own client makes them. */
@ParameterizedClass
@ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
final class TlsTest {
    private static final int MUCH = 10_000_000;

    private static final Handler TELL_ORIGIN =
            exchange ->
                    exchange.respond(
                            Response.text(
                                    200,
                                    exchange.request().target()
                                            + " "
                                            + exchange.origin().scheme()
                                            + " "
                                            + exchange.client()));

    private static final Handler SEND_MUCH =
            exchange ->
                    exchange.respond(
                            new Response(200, null, Headers.EMPTY, Body.of(randomBytes(MUCH))));

    @TempDir private static Path folder;

    private static SSLContext serverSide;
    private static SSLContext clientSide;

    private final String version;

    TlsTest(String version) {
        this.version = version;
    }

    @BeforeAll
    static void makeCertificate() throws IOException {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        serverSide = certificate.server();
        clientSide = certificate.client();
    }

    @Test
    void keepsTheConnectionAndSaysHttps() throws IOException, InterruptedException {
        try (TestServer server = start(TELL_ORIGIN);
                RawClient client = connect(server)) {
            String self = "127.0.0.1:" + client.localPort();
            assertEquals("/one https " + self, client.ask("/one").text());
            assertEquals("/two https " + self, client.ask("/two").text());
        }
    }

    @Test
    void aPlainPlaceBesideStaysPlain() throws IOException, InterruptedException {
        Listening plain = Listening.on(loopback());
        Listening secure = Listening.on(loopback()).withTls(TlsTest::engine);
        try (TestServer server =
                        TestServer.start(
                                ServerOptions.of(TELL_ORIGIN)
                                        .withListening(List.of(plain, secure)));
                RawClient client = server.connect();
                RawClient other = connect(port(secure))) {
            assertTrue(client.ask("/").text().startsWith("/ http 127"));
            assertTrue(other.ask("/").text().startsWith("/ https 127"));
        }
    }

    /** RFC 9110 section 7.4: without TLS it is a 421. */
    @Test
    void servesHttpsTargetsHereOnly() throws IOException, InterruptedException {
        Listening plain = Listening.on(loopback());
        Listening secure = Listening.on(loopback()).withTls(TlsTest::engine);
        String request = "GET https://a/x HTTP/1.1\r\nHost: a\r\n\r\n";
        try (TestServer server =
                        TestServer.start(
                                ServerOptions.of(TELL_ORIGIN)
                                        .withListening(List.of(plain, secure)));
                RawClient client = server.connect();
                RawClient other = connect(port(secure))) {
            assertEquals(421, client.send(request).readResponse().status());
            assertEquals(200, other.send(request).readResponse().status());
        }
    }

    @Test
    void aTrustedProxysWordCountsBefore() throws IOException, InterruptedException {
        ServerOptions options =
                ServerOptions.of(TELL_ORIGIN)
                        .withTrustedProxies(TrustedProxies.of(List.of("127.0.0.1")));
        try (TestServer server = start(options);
                RawClient client = connect(server)) {
            String from = "X-Forwarded-For: 192.0.2.1";
            assertEquals(
                    "/ http 192.0.2.1:0",
                    client.get("/", from, "X-Forwarded-Proto: http").readResponse().text());
            assertEquals(
                    "/ https 192.0.2.1:0",
                    client.get("/", from, "X-Forwarded-Proto: https").readResponse().text());
            assertEquals("/ https 192.0.2.1:0", client.get("/", from).readResponse().text());
        }
        ServerOptions nobody =
                ServerOptions.of(TELL_ORIGIN)
                        .withTrustedProxies(TrustedProxies.of(List.of("10.0.0.0/8")));
        try (TestServer server = start(nobody);
                RawClient client = connect(server)) {
            assertTrue(
                    client.get("/", "X-Forwarded-Proto: http")
                            .readResponse()
                            .text()
                            .startsWith("/ https 127"));
        }
    }

    @Test
    void answersPipelinedRequestsInOrder() throws IOException, InterruptedException {
        try (TestServer server = start(TELL_ORIGIN);
                RawClient client = connect(server)) {
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                requests.append(RawClient.getRequest("/" + i));
            }
            client.send(requests.toString());
            for (int i = 0; i < 100; i++) {
                assertTrue(client.readResponse().text().startsWith("/" + i + " "));
            }
        }
    }

    @Test
    void takesAndSendsMuch() throws IOException, InterruptedException {
        byte[] much = randomBytes(MUCH);
        ParserLimits usual = ParserLimits.DEFAULT;
        ParserLimits large =
                new ParserLimits(usual.targetBytes(), usual.headBytes(), usual.fields(), MUCH);
        ServerOptions options =
                ServerOptions.of(TestServer.ECHO_BODY)
                        .withLimits(ServerLimits.DEFAULT.withRequest(large));
        try (TestServer server = start(options);
                RawClient client = connect(server)) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(MUCH));
            CompletableFuture<RawResponse> response = begin(client::readResponse);
            client.send(much);
            assertEquals(200, response.join().status(), response.join().head());
            assertArrayEquals(much, response.join().body().toArray());
            assertArrayEquals(much, client.post("/", much).readResponse().body().toArray());
        }
    }

    /** What the client still sends is read, as a reset would take the answer away. */
    @Test
    void whoIsRefusedInTheMiddleOfItsUploadGetsTheAnswer()
            throws IOException, InterruptedException {
        try (TestServer server = start(TestServer.ECHO_BODY);
                RawClient client = connect(server)) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n");
            server.settle();
            for (int i = 0; i < 20; i++) {
                client.send(randomBytes(50_000));
                server.settle();
            }
            assertEquals(413, client.readResponse().status());
            client.expectEnd();
            client.leave();
            server.listener.await("closed REFUSED");
        }
    }

    @Test
    void aSlowReaderGetsAllOfIt() throws IOException, InterruptedException {
        try (TestServer server = start(SEND_MUCH);
                RawClient client = connect(server)) {
            client.get("/");
            server.settle();
            RawResponse head = client.readHead();
            assertEquals(200, head.status());
            byte[] got = new byte[MUCH];
            int count = 0;
            while (count < MUCH) {
                byte[] some = client.read(Math.min(50_000, MUCH - count));
                System.arraycopy(some, 0, got, count, some.length);
                count += some.length;
                if (count % 1_000_000 == 0) {
                    server.settle();
                }
            }
            assertArrayEquals(randomBytes(MUCH), got);
        }
    }

    @Test
    void theLastResponseIsFollowedByTheEnd() throws IOException, InterruptedException {
        try (TestServer server = start(SEND_MUCH);
                RawClient client = connect(server)) {
            client.get("/", "Connection: close");
            assertEquals(MUCH, client.readResponse().body().sizeBytes());
            client.expectEnd();
            client.leave();
            server.listener.await("closed NOT_PERSISTENT");
        }
    }

    @Test
    void aClientThatEndsItsSideGetsItsResponse() throws IOException, InterruptedException {
        assumeTrue(version.equals("TLSv1.3"), "before, close_notify ends both sides");
        try (TestServer server = start(TELL_ORIGIN);
                RawClient client = connect(server)) {
            client.get("/");
            client.endOutput();
            assertEquals(200, client.readResponse().status());
            client.expectEnd();
        }
    }

    @Test
    void anIdleConnectionIsClosedInOrder() throws IOException, InterruptedException {
        try (TestServer server = start(TELL_ORIGIN);
                RawClient client = connect(server)) {
            client.ask("/");
            server.advance(ServerLimits.DEFAULT.idleTimeout());
            client.expectEnd();
            server.listener.await("closed IDLE_TIMEOUT");
        }
    }

    @Test
    void plainHttpAndGarbageHaveTheirCause() throws IOException, InterruptedException {
        try (TestServer server = start(TELL_ORIGIN);
                RawClient client = server.connect()) {
            client.send(RawClient.getRequest("/"));
            server.listener.await("closed TLS_FAILED");
        }
    }

    @Test
    void aClientThatSaysNothingHasTenSeconds() throws IOException, InterruptedException {
        try (TestServer server = start(TELL_ORIGIN);
                RawClient silent = server.connect()) {
            server.settle();
            server.advance(Duration.ofSeconds(9));
            server.advance(Duration.ofSeconds(1));
            server.listener.await("closed TLS_TIMEOUT");
            silent.expectEnd();
        }
    }

    @Test
    void halfHandshakesHinderNobody() throws IOException, InterruptedException {
        List<RawClient> halves = new ArrayList<>();
        try (TestServer server = start(TELL_ORIGIN)) {
            for (int i = 0; i < 200; i++) {
                // The beginning of a record of the handshake.
                RawClient half = server.connect();
                half.send(new byte[] {22, 3, 1, 2, 0, 1, 0});
                halves.add(half);
            }
            try (RawClient client = connect(server)) {
                for (int i = 0; i < 20; i++) {
                    assertEquals(200, client.ask("/" + i).status());
                }
            }
            server.advance(Duration.ofSeconds(10));
            for (RawClient half : halves) {
                server.listener.await("closed TLS_TIMEOUT");
                half.expectEnd();
            }
        } finally {
            for (RawClient half : halves) {
                half.close();
            }
        }
    }

    @Test
    void agreesOnHttp11() throws IOException, InterruptedException {
        try (TestServer server = start(TELL_ORIGIN)) {
            SSLSocket both = socket(server.http.port());
            offer(both, "h2", "http/1.1");
            both.startHandshake();
            assertEquals("http/1.1", both.getApplicationProtocol());
            both.close();

            SSLSocket onlyTwo = socket(server.http.port());
            offer(onlyTwo, "h2");
            assertThrows(IOException.class, onlyTwo::startHandshake);
            onlyTwo.close();
        }
    }

    @Test
    void aWebSocketOpensAndTalks() throws IOException, InterruptedException {
        HeldWebSockets sockets = new HeldWebSockets();
        try (TestServer server = start(sockets);
                RawClient client = connect(server)) {
            WebSocket opened = sockets.open(client);
            client.send(HeldWebSockets.frames().text("héllo").binary(new byte[70_000]).toBytes());
            sockets.expectEvent("text héllo");
            sockets.expectEvent("binary 70000");
            opened.send(true, Body.utf8("back"));
            HeldWebSockets.expect(client, "\u0081\u0004back");
            opened.taken(70_000 + 6 + 2 * 64);
            client.send(HeldWebSockets.frames().close(1000, "bye").toBytes());
            HeldWebSockets.expect(client, "\u0088\u0005\u0003\u00e8bye");
            client.expectEnd();
        }
    }

    @Test
    void aDrainEndsIdleConnectionsInOrder() throws IOException, InterruptedException {
        try (TestServer server = start(TELL_ORIGIN);
                RawClient client = connect(server)) {
            client.ask("/");
            var drained = server.http.drain(Duration.ofMinutes(1));
            server.advance(Duration.ofSeconds(30));
            client.expectEnd();
            client.leave();
            server.settleUntil(drained::isDone);
        }
    }

    @Test
    void aDrainWaitsForAHandshakeThatHasBegun() throws Exception {
        try (TestServer server = start(TELL_ORIGIN);
                HalfwaySocket halfway = new HalfwaySocket(server.http.port())) {
            SSLSocket layered =
                    (SSLSocket)
                            clientSide
                                    .getSocketFactory()
                                    .createSocket(halfway, "localhost", halfway.getPort(), true);
            layered.setEnabledProtocols(new String[] {version});
            var client = CompletableFuture.supplyAsync(() -> handshaken(layered));
            halfway.hello.await();
            server.settle();
            var drained = server.http.drain(Duration.ofMinutes(1));
            server.advance(Duration.ofMillis(1_500));

            halfway.rest.countDown();
            try (RawClient late = client.get(30, TimeUnit.SECONDS)) {
                server.advance(Duration.ofMillis(900));
                assertEquals(200, late.ask("/").status());
                late.expectEnd();
                late.leave();
            }
            server.settleUntil(drained::isDone);
        }
    }

    private static RawClient handshaken(SSLSocket socket) {
        try {
            return new RawClient(handshake(socket));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Sends what the client says first, and the rest when it may. */
    private static final class HalfwaySocket extends Socket {
        /** The client has had the server's answer, and has more to say. */
        final CountDownLatch hello = new CountDownLatch(1);

        final CountDownLatch rest = new CountDownLatch(1);
        private boolean said;

        HalfwaySocket(int port) throws IOException {
            super(InetAddress.getLoopbackAddress(), port);
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            OutputStream out = super.getOutputStream();
            return new OutputStream() {
                @Override
                public void write(int octet) throws IOException {
                    write(new byte[] {(byte) octet});
                }

                @Override
                public void write(byte[] bytes, int from, int count) throws IOException {
                    if (said) {
                        hello.countDown();
                        awaitRest();
                    }
                    said = true;
                    out.write(bytes, from, count);
                }
            };
        }

        private void awaitRest() throws IOException {
            try {
                rest.await();
            } catch (InterruptedException ended) {
                throw new IOException(ended);
            }
        }
    }

    /** What a new engine is made of may change; those that are open go on. */
    @Test
    void newConnectionsGetTheNewestCertificate() throws IOException, InterruptedException {
        TestCertificate next = TestCertificate.of(folder, "localhost");
        SSLContext[] current = {serverSide};
        Listening place = Listening.on(loopback()).withTls(() -> engine(current[0]));
        try (TestServer server =
                        TestServer.start(
                                ServerOptions.of(TELL_ORIGIN).withListening(List.of(place)));
                RawClient before = connect(server)) {
            assertEquals(200, before.ask("/").status());
            server.settle();
            current[0] = next.server();
            assertEquals(200, before.ask("/").status());
            assertThrows(IOException.class, () -> connect(server));
            try (RawClient after =
                    new RawClient(handshake(socket(next.client(), server.http.port())))) {
                assertEquals(200, after.ask("/").status());
            }
        }
    }

    private static void offer(SSLSocket socket, String... protocols) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
    }

    private RawClient connect(TestServer server) throws IOException {
        return connect(server.http.port());
    }

    private RawClient connect(int port) throws IOException {
        return new RawClient(handshake(socket(port)));
    }

    private static SSLSocket handshake(SSLSocket socket) throws IOException {
        socket.startHandshake();
        return socket;
    }

    private SSLSocket socket(int port) throws IOException {
        return socket(clientSide, port);
    }

    private SSLSocket socket(SSLContext context, int port) throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setEnabledProtocols(new String[] {version});
        return socket;
    }

    private static TestServer start(Handler handler) throws IOException {
        return start(ServerOptions.of(handler));
    }

    private static TestServer start(ServerOptions options) throws IOException {
        Listening place = Listening.on(loopback()).withTls(TlsTest::engine);
        return TestServer.start(options.withListening(List.of(place)));
    }

    private static SSLEngine engine() {
        return engine(serverSide);
    }

    private static SSLEngine engine(SSLContext context) {
        SSLEngine engine = context.createSSLEngine();
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static int port(Listening place) {
        return ((InetSocketAddress) place.address()).getPort();
    }

    private static byte[] randomBytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    private interface Reading {
        RawResponse read() throws IOException;
    }

    private static CompletableFuture<RawResponse> begin(Reading reading) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return reading.read();
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        });
    }
}

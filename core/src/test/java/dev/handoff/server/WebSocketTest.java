package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.ClientFrames;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** WebSockets of handlers in Java, as clients see them. */
class WebSocketTest {
    private static final String[] HANDSHAKE = {
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    };
    private static final Duration PING = Duration.ofSeconds(30);

    private final HeldRequests held = new HeldRequests();

    /** Looks at once whether a WebSocket is asked for, as every handler has to that serves them. */
    private final Handler handler =
            exchange -> {
                assertNotNull(exchange.handshake());
                held.handle(exchange);
            };

    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final AtomicLong room = new AtomicLong();
    private boolean answersLater;

    /** Writes down what it hears, and takes each message unless the test does. */
    private final class Listener implements WebSocketListener {
        @Override
        public void onMessage(boolean text, Body message) {
            String shown = message.sizeBytes() > 40 ? message.sizeBytes() + "" : message.toUtf8();
            events.add((text ? "text " : "binary ") + shown);
        }

        @Override
        public void onRoom(long costBytes) {
            room.addAndGet(costBytes);
        }

        @Override
        public boolean answersLater() {
            return answersLater;
        }

        @Override
        public void onClosed(int code, String reason) {
            events.add("closed " + code + " " + reason);
        }
    }

    @Test
    void takesMessagesAndSendsThem() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            WebSocket socket = open(client);
            client.send(frames().text("héllo").binary(new byte[70_000]).toBytes());
            expectEvent("text héllo");
            expectEvent("binary 70000");
            socket.send(true, Body.utf8("back"));
            expect(client, "\u0081\u0004back");
            server.listener.await("websocket opened /chat");

            client.send(frames().close(1000, "bye").toBytes());
            taken(socket, 70_000 + 6 + 2 * 64);
            expect(client, "\u0088\u0005\u0003\u00e8bye");
            client.expectEnd();
            expectEvent("closed 1000 bye");
            client.leave();
            server.listener.await("websocket closed /chat 1000, in 2 of 70006, out 1 of 4");
            server.listener.await("closed WEBSOCKET_CLOSED");
        }
    }

    @Test
    void theResponseHasWhatAHandshakeNeeds() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/chat", handshake("Sec-WebSocket-Protocol: chat, other"));
            held.take()
                    .accept(
                            Headers.of(
                                    "sec-websocket-protocol", "other",
                                    "set-cookie", "a=1",
                                    "upgrade", "h2c",
                                    "content-length", "5"),
                            new Listener());
            RawResponse head = client.readHead();
            assertEquals(101, head.status());
            assertEquals("websocket", head.header("upgrade"));
            assertEquals("upgrade", head.header("connection"));
            assertEquals("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", head.header("sec-websocket-accept"));
            assertEquals("other", head.header("sec-websocket-protocol"));
            assertEquals("a=1", head.header("set-cookie"));
            assertEquals("", head.header("content-length"));
        }
    }

    @Test
    void aSubprotocolThatWasNotOfferedIsABadResponse() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/chat", handshake("Sec-WebSocket-Protocol: chat"));
            held.take().accept(Headers.of("sec-websocket-protocol", "other"), new Listener());
            assertEquals(502, client.readResponse().status());
            expectEvent("closed 1006 ");
            client.expectEnd();
        }
    }

    @Test
    void anotherResponseRefusesAndEndsTheConnection() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE).get("/behind");
            Exchange exchange = held.take();
            assertTrue(exchange.handshake() instanceof Handshake.Offer);
            exchange.respond(Response.text(403, "no"));
            RawResponse response = client.readResponse();
            assertEquals(403, response.status());
            assertEquals("close", response.header("connection"));
            client.expectEnd();
            assertEquals(0, held.waiting());
        }
    }

    @Test
    void nothingBehindAHandshakeIsReadAsARequest() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(RawClient.getRequest("/chat", HANDSHAKE) + latin(frames().text("early")));
            Exchange exchange = held.take();
            assertTrue(exchange.handshake() instanceof Handshake.Offer);
            server.settle();
            exchange.accept(Headers.EMPTY, new Listener());
            assertEquals(101, client.readHead().status());
            expectEvent("text early");
        }
    }

    @Test
    void itsTurnComesBehindEarlierResponses() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/first").get("/chat", HANDSHAKE);
            Exchange first = held.take();
            WebSocket socket = held.take().accept(Headers.EMPTY, new Listener());
            socket.send(true, Body.utf8("waits"));
            server.settle();
            assertFalse(client.hasInput());
            HeldRequests.answer(first);
            assertEquals("/first", client.readResponse().body().toUtf8());
            assertEquals(101, client.readHead().status());
            expect(client, "\u0081\u0005waits");
        }
    }

    @Test
    void aRequestThatAsksForNoneCannotBecomeOne() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/plain");
            Exchange exchange = held.take();
            assertThrows(
                    IllegalStateException.class,
                    () -> exchange.accept(Headers.EMPTY, new Listener()));
            HeldRequests.answer(exchange);
            assertEquals("/plain", client.readResponse().body().toUtf8());
        }
    }

    @Test
    void aHandlerThatKnowsNoWebSocketsServesOn() throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            client.get("/one", HANDSHAKE).get("/two");
            assertEquals("/one", client.readResponse().body().toUtf8());
            assertEquals("/two", client.readResponse().body().toUtf8());
        }
    }

    @Test
    void answersPings() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            open(client);
            client.send(frames().ping("1").ping("2").ping("").toBytes());
            expect(client, "\u008a\u00011\u008a\u00012\u008a\u0000");
        }
    }

    @Test
    void asksAClientThatIsSilentAndGivesItUp() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            open(client);
            server.advance(PING);
            expect(client, "\u0089\u0000");
            client.send(frames().frame(0x8a, new byte[0]).toBytes());
            server.settleUntil(() -> server.listener.receivedBytes() > 0 && settled(server));
            server.advance(PING);
            expect(client, "\u0089\u0000");
            server.advance(PING);
            expect(client, "\u0089\u0000");
            server.advance(PING);
            expectEvent("closed 1006 ");
            server.listener.await("closed IDLE_TIMEOUT");
        }
    }

    private static boolean settled(TestServer server) {
        server.settle();
        return true;
    }

    @Test
    void aClientThatLeavesWithoutAWordIsToldAs1006() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            open(client);
            client.leave();
            expectEvent("closed 1006 ");
            server.listener.await("websocket closed /chat 1006, in 0 of 0, out 0 of 0");
        }
    }

    @Test
    void aBrokenRuleIsToldWithItsCode() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            open(client);
            client.send(new byte[] {(byte) 0x81, 0});
            expect(client, "\u0088\u0016\u0003\u00eaa frame without mask");
            expectEvent("closed 1002 a frame without mask");
            client.expectEnd();
        }
    }

    @Test
    void aMessageAboveTheLimitIsToldAs1009() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withMessageBytes(10);
        try (TestServer server = TestServer.start(handler, limits);
                RawClient client = server.connect()) {
            WebSocket socket = open(client);
            client.send(frames().text("0123456789").toBytes());
            expectEvent("text 0123456789");
            taken(socket, 74);
            client.send(frames().text("0123456789x").toBytes());
            expectEvent("closed 1009 the message is too long");
            expect(client, "\u0088\u0019\u0003\u00f1the message is too long");
        }
    }

    @Test
    void answersToEarlierMessagesLeaveBeforeTheRefusal() throws IOException, InterruptedException {
        answersLater = true;
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            WebSocket socket = open(client);
            client.send(frames().text("good").raw(0x81, 0x00).toBytes());
            expectEvent("text good");
            server.settle();
            assertTrue(events.isEmpty(), "the end is told behind the message");
            taken(socket, 68);
            expectEvent("closed 1002 a frame without mask");
            socket.send(true, Body.utf8("late"));
            socket.close(1000, "");
            expect(client, "\u0081\u0004late\u0088\u0016\u0003\u00eaa frame without mask");
            client.expectEnd();
        }
    }

    @Test
    void aHandlerThatDoesNotAnswerInTimeIsNotWaitedFor() throws IOException, InterruptedException {
        answersLater = true;
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            open(client);
            client.send(frames().text("kept").raw(0x81, 0x00).toBytes());
            expectEvent("text kept");
            server.advance(Duration.ofSeconds(5));
            expectEvent("closed 1002 a frame without mask");
            server.advance(Duration.ofSeconds(1));
            expect(client, "\u0088\u0016\u0003\u00eaa frame without mask");
        }
    }

    @Test
    void theServersCloseAwaitsTheClients() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            WebSocket socket = open(client);
            socket.close(4000, "enough");
            expect(client, "\u0088\u0008\u000f\u00a0enough");
            client.send(frames().text("too late").close(4000, "").toBytes());
            client.expectEnd();
            expectEvent("closed 4000 enough");
            assertTrue(events.isEmpty());
        }
    }

    @Test
    void aClientThatDoesNotAnswerACloseIsCut() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            open(client).close(1000, "");
            expect(client, "\u0088\u0002\u0003\u00e8");
            server.advance(Duration.ofSeconds(5));
            client.expectEnd();
        }
    }

    @Test
    void codesThatMayNotBeSentThrow() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            WebSocket socket = open(client);
            assertThrows(IllegalArgumentException.class, () -> socket.close(1006, ""));
            assertThrows(IllegalArgumentException.class, () -> socket.close(1000, "x".repeat(124)));
            socket.close(1000, "x".repeat(123));
            assertNotNull(client.read(127));
        }
    }

    @Test
    void aDrainClosesWithinFiveSeconds() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            open(client);
            CompletableFuture<Void> drained = server.http.drain(Duration.ofSeconds(30));
            server.settle();
            server.advance(Duration.ofSeconds(5));
            expect(client, "\u0088\u0013\u0003\u00e9the server leaves");
            expectEvent("closed 1001 the server leaves");
            client.send(frames().close(1001, "").toBytes());
            client.expectEnd();
            client.leave();
            drained.join();
        }
    }

    @Test
    void aClientIsNotReadWhileItsMessagesWait() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            WebSocket socket = open(client);
            byte[] quarter = new byte[64 * 1024];
            ClientFrames sent = frames();
            for (int i = 0; i < 5; i++) {
                sent.binary(quarter);
            }
            client.send(sent.toBytes());
            for (int i = 0; i < 4; i++) {
                expectEvent("binary 65536");
            }
            server.settle();
            assertTrue(events.isEmpty(), "the fifth has to wait");
            taken(socket, 65536 + 64);
            expectEvent("binary 65536");
        }
    }

    @Test
    void tellsOfRoomAsTheClientTakesMessages() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            WebSocket socket = open(client);
            socket.send(false, Body.of(new byte[32 * 1024 - 65]));
            client.read(4 + 32 * 1024 - 65);
            server.settle();
            assertEquals(0, room.get());
            socket.send(false, Body.EMPTY);
            client.read(2);
            server.settleUntil(() -> room.get() == 32 * 1024 + 63);
        }
    }

    @Test
    void compressesWhereTheClientCan() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/chat", handshake("Sec-WebSocket-Extensions: permessage-deflate"));
            WebSocket socket = held.take().accept(Headers.EMPTY, new Listener());
            assertEquals(
                    "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                    client.readHead().header("sec-websocket-extensions"));
            client.send(
                    frames().compressedText("x".repeat(500).getBytes(StandardCharsets.UTF_8))
                            .toBytes());
            expectEvent("text 500");
            socket.send(true, Body.utf8("y".repeat(500)));
            byte[] head = client.read(2);
            assertEquals((byte) 0xc1, head[0]);
            assertTrue(head[1] < 30);
        }
    }

    @Test
    void aListenerThatThrowsEndsWith1011() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE);
            held.take()
                    .accept(
                            Headers.EMPTY,
                            new WebSocketListener() {
                                @Override
                                public void onMessage(boolean text, Body message) {
                                    throw new IllegalStateException("as tested");
                                }

                                @Override
                                public void onClosed(int code, String reason) {
                                    events.add("closed " + code);
                                }
                            });
            assertEquals(101, client.readHead().status());
            client.send(frames().text("x").toBytes());
            expect(client, "\u0088\u0002\u0003\u00f3");
            expectEvent("closed 1011");
            server.listener.await("failed /chat as tested");
        }
    }

    @Test
    void aClientThatIsGoneBeforeItOpensIsToldOf() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE);
            Exchange exchange = held.take();
            client.reset();
            assertEquals("/chat CLIENT_GONE", held.takeAbandoned());
            exchange.accept(Headers.EMPTY, new Listener());
            expectEvent("closed 1006 ");
        }
    }

    private WebSocket open(RawClient client) throws IOException, InterruptedException {
        client.get("/chat", HANDSHAKE);
        WebSocket socket = held.take().accept(Headers.EMPTY, new Listener());
        assertEquals(101, client.readHead().status());
        return socket;
    }

    private static void taken(WebSocket socket, long costBytes) {
        socket.taken(costBytes);
    }

    private void expectEvent(String expected) throws InterruptedException {
        assertEquals(expected, events.poll(10, TimeUnit.SECONDS));
    }

    private static void expect(RawClient client, String latin1) throws IOException {
        byte[] expected = latin1.getBytes(StandardCharsets.ISO_8859_1);
        assertArrayEquals(expected, client.read(expected.length));
    }

    private static String latin(ClientFrames frames) {
        return new String(frames.toBytes(), StandardCharsets.ISO_8859_1);
    }

    private static ClientFrames frames() {
        return new ClientFrames();
    }

    private static String[] handshake(String field) {
        String[] fields = java.util.Arrays.copyOf(HANDSHAKE, HANDSHAKE.length + 1);
        fields[HANDSHAKE.length] = field;
        return fields;
    }
}

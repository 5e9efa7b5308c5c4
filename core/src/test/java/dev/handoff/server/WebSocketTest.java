package dev.handoff.server;

import static dev.handoff.server.HeldWebSockets.HANDSHAKE;
import static dev.handoff.server.HeldWebSockets.expect;
import static dev.handoff.server.HeldWebSockets.frames;
import static dev.handoff.server.HeldWebSockets.handshake;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.ClientFrames;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.loop.EventLoop;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets of handlers in Java, as clients see them. */
class WebSocketTest {
    private final HeldWebSockets sockets = new HeldWebSockets();

    @Test
    void takesMessagesAndSendsThem() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            client.send(frames().text("héllo").binary(new byte[70_000]).toBytes());
            sockets.expectEvent("text héllo");
            sockets.expectEvent("binary 70000");
            socket.send(true, Body.utf8("back"));
            expect(client, "\u0081\u0004back");
            server.listener.await("websocket opened /chat");

            client.send(frames().close(1000, "bye").toBytes());
            socket.taken(70_000 + 6 + 2 * 64);
            expect(client, "\u0088\u0005\u0003\u00e8bye");
            client.expectEnd();
            sockets.expectEvent("closed 1000 bye");
            client.leave();
            server.listener.await("websocket closed /chat 1000, in 2 of 70006, out 1 of 4");
            server.listener.await("closed WEBSOCKET_CLOSED");
        }
    }

    @Test
    void theResponseHasWhatAHandshakeNeeds() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", handshake("Sec-WebSocket-Protocol: chat, other"));
            sockets.held
                    .take()
                    .accept(
                            Headers.of(
                                    "sec-websocket-protocol", "other",
                                    "set-cookie", "a=1",
                                    "upgrade", "h2c",
                                    "content-length", "5"),
                            sockets.listener());
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
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", handshake("Sec-WebSocket-Protocol: chat"));
            sockets.held
                    .take()
                    .accept(Headers.of("sec-websocket-protocol", "other"), sockets.listener());
            assertEquals(502, client.readResponse().status());
            sockets.expectEvent("closed 1006 ");
            client.expectEnd();
        }
    }

    /** A proxy that has passed on the handshake may pass on all that follows, unread. */
    @ParameterizedTest
    @ValueSource(strings = {"13", "12"})
    void nothingBehindAHandshakeIsReadThoughItsHandlerKnowsNothingOfIt(String version)
            throws IOException {
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET);
                RawClient client = server.connect()) {
            String[] asked = HANDSHAKE.clone();
            asked[2] = "Sec-WebSocket-Version: " + version;
            client.get("/page", asked).get("/behind");
            RawResponse response = client.readResponse();
            assertEquals("/page", response.text());
            assertEquals("close", response.header("connection"));
            client.expectEnd();
        }
    }

    @Test
    void anotherResponseRefusesAndEndsTheConnection() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE).get("/behind");
            Exchange exchange = sockets.held.take();
            assertTrue(exchange.handshake() instanceof Handshake.Offer);
            exchange.respond(Response.text(403, "no"));
            RawResponse response = client.readResponse();
            assertEquals(403, response.status());
            assertEquals("close", response.header("connection"));
            client.expectEnd();
            assertEquals(0, sockets.held.waiting());
        }
    }

    @Test
    void nothingBehindAHandshakeIsReadAsARequest() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.send(
                    RawClient.getRequest("/chat", HANDSHAKE)
                            + new String(
                                    frames().text("early").toBytes(), StandardCharsets.ISO_8859_1));
            Exchange exchange = sockets.held.take();
            assertTrue(exchange.handshake() instanceof Handshake.Offer);
            server.settle();
            exchange.accept(Headers.EMPTY, sockets.listener());
            assertEquals(101, client.readHead().status());
            sockets.expectEvent("text early");
        }
    }

    @Test
    void aListenerIsGivenItsWebSocketBeforeAnyMessage() throws IOException {
        Handler echo = exchange -> exchange.accept(Headers.EMPTY, new Echo());
        try (TestServer server = TestServer.start(echo);
                RawClient client = server.connect()) {
            client.send(
                    RawClient.getRequest("/echo", HANDSHAKE)
                            + new String(
                                    frames().text("early").toBytes(), StandardCharsets.ISO_8859_1));
            assertEquals(101, client.readHead().status());
            expect(client, "\u0081\u0005hello\u0081\u0005early");
        }
    }

    @Test
    void framesWithoutAMessageKeepOthersWaitingNoLongerThanMessages()
            throws IOException, InterruptedException {
        int pong = 0x8a;
        int continuation = 0;
        assertTrue(turnsOf(pong, "") >= 3);
        assertTrue(turnsOf(continuation, "x") >= 3);
        assertTrue(turnsOf(continuation, "") >= 3);
    }

    /** One of them takes milliseconds, and comes in a KiB where it is compressed. */
    @Test
    void aLargeMessageCountsInTurnsBehindItsOwn() throws IOException, InterruptedException {
        int bytes = 900_000;
        BlockingQueue<Long> turns = new LinkedBlockingQueue<>();
        Handler handler =
                exchange -> exchange.accept(Headers.EMPTY, new Turns(exchange.loop(), turns));
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/", handshake("Sec-WebSocket-Extensions: permessage-deflate"));
            assertEquals(101, client.readHead().status());
            byte[] large = new byte[bytes];
            client.send(frames().compressedText(large).compressedText(large).toBytes());
            long first = turns.take();
            assertTrue(turns.take() - first >= bytes / 2048 / 16 - 1);
        }
    }

    /** How many turns of the loop frames take that are as much work as 64 messages. */
    private static long turnsOf(int firstByte, String payload)
            throws IOException, InterruptedException {
        BlockingQueue<Long> turns = new LinkedBlockingQueue<>();
        Handler handler =
                exchange -> exchange.accept(Headers.EMPTY, new Turns(exchange.loop(), turns));
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/", HANDSHAKE);
            assertEquals(101, client.readHead().status());
            ClientFrames frames = frames().text("first").frame(0x01, new byte[0]);
            for (int i = 0; i < 64 * WebSocketInput.FRAMES_LIKE_A_MESSAGE; i++) {
                frames.frame(firstByte, payload.getBytes(StandardCharsets.US_ASCII));
            }
            client.send(frames.frame(0x80, new byte[0]).toBytes());
            long first = turns.take();
            return turns.take() - first;
        }
    }

    /** Notes in which turn each message came. */
    private static final class Turns implements WebSocketListener {
        private final EventLoop loop;
        private final BlockingQueue<Long> turns;
        private @Nullable WebSocket socket;

        Turns(EventLoop loop, BlockingQueue<Long> turns) {
            this.loop = loop;
            this.turns = turns;
        }

        @Override
        public void onOpen(WebSocket opened) {
            socket = opened;
        }

        @Override
        public void onMessage(boolean text, Body message) {
            turns.add(loop.turn());
            if (socket != null) {
                socket.taken(message.sizeBytes() + (long) WebSocket.MESSAGE_COST_BYTES);
            }
        }

        @Override
        public void onClosed(int code, String reason) {}
    }

    private static final class Echo implements WebSocketListener {
        private @Nullable WebSocket socket;

        @Override
        public void onOpen(WebSocket opened) {
            socket = opened;
            opened.send(true, Body.utf8("hello"));
        }

        @Override
        public void onMessage(boolean text, Body message) {
            WebSocket opened = Objects.requireNonNull(socket);
            opened.send(text, message);
            opened.taken(message.sizeBytes() + WebSocket.MESSAGE_COST_BYTES);
        }

        @Override
        public void onClosed(int code, String reason) {}
    }

    @Test
    void itsTurnComesBehindEarlierResponses() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/first").get("/chat", HANDSHAKE);
            Exchange first = sockets.held.take();
            WebSocket socket = sockets.held.take().accept(Headers.EMPTY, sockets.listener());
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
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/plain");
            Exchange exchange = sockets.held.take();
            assertThrows(
                    IllegalStateException.class,
                    () -> exchange.accept(Headers.EMPTY, sockets.listener()));
            HeldRequests.answer(exchange);
            assertEquals("/plain", client.readResponse().body().toUtf8());
        }
    }

    @Test
    void answersPings() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            client.send(frames().ping("1").ping("2").ping("").toBytes());
            expect(client, "\u008a\u00011\u008a\u00012\u008a\u0000");
        }
    }

    @Test
    void compressesWhereTheClientCan() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", handshake("Sec-WebSocket-Extensions: permessage-deflate"));
            WebSocket socket = sockets.held.take().accept(Headers.EMPTY, sockets.listener());
            assertEquals(
                    "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                    client.readHead().header("sec-websocket-extensions"));
            client.send(
                    frames().compressedText("x".repeat(500).getBytes(StandardCharsets.UTF_8))
                            .toBytes());
            sockets.expectEvent("text 500");
            socket.send(true, Body.utf8("y".repeat(500)));
            byte[] head = client.read(2);
            assertEquals((byte) 0xc1, head[0]);
            assertTrue(head[1] < 30);
            client.read(head[1]);

            socket.send(true, Body.utf8("y".repeat(500)), false);
            head = client.read(2);
            assertEquals(0x41, head[0], "a first fragment, compressed");
            client.read(head[1]);
            socket.send(true, Body.utf8("z"), true);
            // A stored block of one byte, and an empty one without its tail.
            assertArrayEquals(new byte[] {(byte) 0x80, 7, 0, 1, 0, -2, -1, 'z', 0}, client.read(9));
        }
    }

    @Test
    void countsAMessageInFragmentsOnce() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE);
            WebSocket socket = sockets.held.take().accept(Headers.EMPTY, sockets.listener());
            client.readHead();
            socket.send(false, Body.utf8("abc"), false);
            socket.send(false, Body.EMPTY, false);
            socket.send(false, Body.utf8("d"), true);
            assertArrayEquals(
                    new byte[] {2, 3, 'a', 'b', 'c', 0, 0, (byte) 0x80, 1, 'd'}, client.read(10));
            socket.close(1000, "");
            client.read(4);
            client.send(frames().close(1000, "").toBytes());
            server.listener.await("websocket closed /chat 1000, in 0 of 0, out 1 of 4");
        }
    }
}

package dev.handoff.server;

import static dev.handoff.server.HeldWebSockets.HANDSHAKE;
import static dev.handoff.server.HeldWebSockets.expect;
import static dev.handoff.server.HeldWebSockets.frames;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.websocket.ClientFrames;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What WebSockets may make the server hold, both ways. */
class WebSocketMemoryTest {
    private static final String DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate";
    private static final Duration RELIEF_DELAY = Duration.ofMillis(10);

    /** More than the kernel takes for a client that reads nothing. */
    private static final int LARGE_BYTES = 10_000_000;

    private static final int SMALL_WINDOW_BYTES = 4096;
    private static final int MESSAGE_BYTES = 900_000;

    /** Of two such messages, the second finds more than its part taken. */
    private static final ServerLimits ROOM_FOR_ONE =
            ServerLimits.DEFAULT.withBufferedBytes(2 * MESSAGE_BYTES);

    private final HeldWebSockets sockets = new HeldWebSockets();

    /** A WebSocket may last for hours, and nobody asks for its fields any more. */
    @Test
    void theHeadOfAnOpenOneIsNotHeld() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get(
                    "/chat",
                    HeldWebSockets.handshake(
                            "Sec-WebSocket-Protocol: " + "x".repeat(9000) + ", chat",
                            "User-Agent: somebody",
                            "X: " + "y".repeat(6000)));
            Exchange exchange = sockets.held.take();
            server.settle();
            assertTrue(server.http.load(0).bufferedBytes() > 15_000);
            exchange.accept(Headers.of("sec-websocket-protocol", "chat"), sockets.listener());
            assertEquals(101, client.readHead().status());
            server.settleUntil(() -> server.http.load(0).bufferedBytes() < 4000);

            assertEquals(Headers.of("user-agent", "somebody"), exchange.request().headers());
        }
    }

    @Test
    void aClientIsNotReadWhileItsMessagesWait() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            byte[] quarter = new byte[64 * 1024];
            ClientFrames sent = frames();
            for (int i = 0; i < 5; i++) {
                sent.binary(quarter);
            }
            client.send(sent.toBytes());
            for (int i = 0; i < 4; i++) {
                sockets.expectEvent("binary 65536");
            }
            server.settle();
            sockets.expectNoEvent();
            socket.taken(65536 + 64);
            sockets.expectEvent("binary 65536");
        }
    }

    @Test
    void tellsOfRoomAsTheClientTakesMessages() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            socket.send(false, Body.of(new byte[32 * 1024 - 65]));
            client.read(4 + 32 * 1024 - 65);
            server.settle();
            assertEquals(0, sockets.room.get());
            socket.send(false, Body.EMPTY);
            client.read(2);
            server.settleUntil(() -> sockets.room.get() == 32 * 1024 + 63);
        }
    }

    @Test
    void whatIsCompressedMakesRoomOnlyWhenItHasLeft() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = new RawClient(server.http.port(), SMALL_WINDOW_BYTES)) {
            WebSocket socket = sockets.open(client, DEFLATE);
            byte[] noise = new byte[LARGE_BYTES];
            new Random(1).nextBytes(noise);
            socket.send(false, Body.of(noise));
            for (int i = 0; i < 500; i++) {
                socket.send(false, Body.of(new byte[64 * 1024]));
            }
            server.settle();
            assertTrue(sockets.room.get() <= LARGE_BYTES, "the client has read nothing");
        }
    }

    @Test
    void whatAHandlerGivesBeforeItsTurnCounts() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * MESSAGE_BYTES);
        try (TestServer server = TestServer.start(sockets, limits);
                RawClient client = server.connect();
                RawClient other = server.connect()) {
            client.get("/first").get("/chat", HANDSHAKE);
            sockets.held.take();
            WebSocket early = sockets.held.take().accept(Headers.EMPTY, sockets.listener());
            WebSocket open = sockets.open(other);
            early.send(false, Body.of(new byte[MESSAGE_BYTES + 1]));
            open.send(false, Body.of(new byte[LARGE_BYTES]));
            server.settle();
            server.advance(RELIEF_DELAY);
            server.listener.await("closed BUFFERS_FULL");
        }
    }

    /** Thousands of clients could begin one, and a few bytes must not take the memory of many. */
    @Test
    void aCompressedMessageThatHasBegunHoldsWhatCame() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets, ROOM_FOR_ONE)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                RawClient client = server.connect();
                clients.add(client);
                sockets.open(client, DEFLATE);
            }
            server.settle();
            long before = server.http.load(0).bufferedBytes();
            for (RawClient client : clients) {
                client.send(frames().frame(0x41, new byte[] {0}).toBytes());
            }
            server.settle();
            sockets.expectNoEvent();
            assertEquals(before + 60, server.http.load(0).bufferedBytes());
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /**
     * They cost their clients a thousandth of it, so others need not wait until they are slow. Nor
     * until the handler has had its time for those before a close.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messagesGiveWayToRequests(boolean areClosed) throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(this::answerOther, ROOM_FOR_ONE)) {
            List<RawClient> clients = new ArrayList<>();
            ClientFrames message = frames().compressedText(new byte[60_000]);
            byte[] sent = (areClosed ? message.close() : message).toBytes();
            for (int i = 0; i < 20; i++) {
                RawClient client = server.connect();
                clients.add(client);
                sockets.open(client, DEFLATE);
                client.send(sent.clone());
                server.settle();
            }
            server.advance(RELIEF_DELAY);
            RawClient other = server.connect();
            clients.add(other);
            other.post("/other", "x".repeat(100_000));
            assertEquals("/other", other.readResponse().text());
            long part = ROOM_FOR_ONE.bufferedBytes() / 2 / 4;
            server.settle();
            assertTrue(server.http.load(0).bufferedBytes() >= part, "no more go than have to");
            assertTrue(server.http.load(0).bufferedBytes() <= 3 * part, "and not too few");
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** Nobody minds the little that one holds, but there may be thousands. */
    @Test
    void littleMessagesThatNeverEndGiveWayToo() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(400_000);
        try (TestServer server = TestServer.start(this::answerOther, limits)) {
            List<RawClient> clients = new ArrayList<>();
            byte[] unfinished = frames().frame(0x01, new byte[3900]).toBytes();
            for (int i = 0; i < 60; i++) {
                RawClient client = server.connect();
                clients.add(client);
                sockets.open(client);
                client.send(unfinished.clone());
                server.settle();
            }
            RawClient other = server.connect();
            clients.add(other);
            assertEquals("/other", other.get("/other").readResponse().text());
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void messagesThatFindNoRoomEndTheirWebSocket() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets, ROOM_FOR_ONE);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            WebSocket stays = sockets.open(first, DEFLATE);
            first.send(frames().compressedText(new byte[MESSAGE_BYTES]).toBytes());
            sockets.expectEvent("text " + MESSAGE_BYTES);
            sockets.open(second, DEFLATE);
            second.send(frames().compressedText(new byte[MESSAGE_BYTES]).toBytes());
            sockets.expectEvent("closed 1013 the server has no memory for more");
            expect(second, "\u0088#\u0003\u00f5the server has no memory for more");
            stays.send(true, Body.utf8("x"));
            expect(first, "\u0081\u0001x");
        }
    }

    @Test
    void messagesThatWaitForLongMakeRoom() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets, ROOM_FOR_ONE);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            sockets.open(first, DEFLATE);
            first.send(frames().compressedText(new byte[MESSAGE_BYTES]).toBytes());
            sockets.expectEvent("text " + MESSAGE_BYTES);
            WebSocket stays = sockets.open(second, DEFLATE);
            server.advance(Duration.ofSeconds(1));
            second.send(frames().compressedText(new byte[MESSAGE_BYTES]).toBytes());
            sockets.expectEvent("closed 1013 the server has no memory for more");
            sockets.expectEvent("text " + MESSAGE_BYTES);
            expect(first, "\u0088#\u0003\u00f5the server has no memory for more");
            stays.send(true, Body.utf8("x"));
            expect(second, "\u0081\u0001x");
        }
    }

    /**
     * A request that is refused can come again, and a WebSocket that is closed has lost its state.
     */
    @Test
    void aModestMessageIsTakenWhileUploadsFillTheirHalf() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(400_000);
        try (TestServer server = TestServer.start(sockets, limits);
                RawClient upload = server.connect();
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            upload.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
            upload.send("x".repeat(250_000));
            server.settleUntil(() -> server.http.load(0).bufferedBytes() > 240_000);
            for (int i = 0; i < 3; i++) {
                client.send(frames().binary(new byte[30_000]).toBytes());
                sockets.expectEvent("binary 30000");
                socket.taken(30_064);
                server.settle();
            }
            sockets.expectNoEvent();
        }
    }

    @Test
    void messagesThatStayIncompleteMakeRoomForRequests() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets, ROOM_FOR_ONE);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            sockets.open(first);
            first.send(frames().frame(0x02, new byte[MESSAGE_BYTES]).toBytes());
            server.settleUntil(() -> server.listener.receivedBytes() > MESSAGE_BYTES);
            server.advance(Duration.ofSeconds(1));
            second.post("/", new byte[MESSAGE_BYTES]);
            HeldRequests.answer(sockets.held.take());
            assertEquals(200, second.readResponse().status());
            expect(first, "\u0088#\u0003\u00f5the server has no memory for more");
            sockets.expectEvent("closed 1013 the server has no memory for more");
        }
    }

    @Test
    void onlyTheLatestPingOfAClientThatReadsNothingIsAnswered()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = new RawClient(server.http.port(), SMALL_WINDOW_BYTES)) {
            WebSocket socket = sockets.open(client);
            socket.send(false, Body.of(new byte[LARGE_BYTES]));
            server.settle();
            ClientFrames pings = frames();
            for (int i = 0; i < 10_000; i++) {
                pings.ping("%04d".formatted(i));
            }
            byte[] flood = pings.toBytes();
            long before = server.listener.receivedBytes();
            client.send(flood);
            server.settleUntil(() -> server.listener.receivedBytes() == before + flood.length);
            client.read(10 + LARGE_BYTES);
            expect(client, "\u008a\u00049999");
            client.send(frames().ping("last").toBytes());
            expect(client, "\u008a\u0004last");
        }
    }

    @Test
    void aFloodOfMessagesLeavesEachTurnToOthersToo() throws IOException, InterruptedException {
        AtomicInteger came = new AtomicInteger();
        AtomicInteger cameBefore = new AtomicInteger();
        Handler handler =
                exchange -> {
                    cameBefore.set(came.get());
                    sockets.handle(exchange);
                };
        try (TestServer server = TestServer.start(handler);
                RawClient flood = server.connect();
                RawClient other = server.connect()) {
            flood.get("/chat", HANDSHAKE);
            sockets.held.take().accept(Headers.EMPTY, counting(came));
            assertEquals(101, flood.readHead().status());
            ClientFrames messages = frames();
            for (int i = 0; i < 3000; i++) {
                messages.text("");
            }
            CompletableFuture<Void> allSent = new CompletableFuture<>();
            // When the loop goes on, it has both in front of it.
            server.loops.get(0).execute(() -> TestLoops.await(allSent));
            flood.send(messages.toBytes());
            other.get("/");
            allSent.complete(null);
            HeldRequests.answer(sockets.held.take());
            assertEquals(200, other.readResponse().status());
            assertTrue(cameBefore.get() < 3000, "all had come before");
            server.settleUntil(() -> came.get() == 3000);
        }
    }

    private static WebSocketListener counting(AtomicInteger messages) {
        return new WebSocketListener() {
            @Override
            public void onMessage(boolean text, Body message) {
                messages.incrementAndGet();
            }

            @Override
            public void onClosed(int code, String reason) {}
        };
    }

    /** Answers requests for {@code /other}, and holds WebSockets. */
    private void answerOther(Exchange exchange) {
        if (exchange.request().target().equals("/other")) {
            HeldRequests.answer(exchange);
        } else {
            sockets.handle(exchange);
        }
    }
}

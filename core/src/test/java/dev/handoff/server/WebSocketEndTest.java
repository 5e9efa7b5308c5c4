package dev.handoff.server;

import static dev.handoff.server.HeldWebSockets.HANDSHAKE;
import static dev.handoff.server.HeldWebSockets.expect;
import static dev.handoff.server.HeldWebSockets.frames;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How WebSockets end, whoever ends them. */
class WebSocketEndTest {
    private static final Duration PING = Duration.ofSeconds(30);

    /** More than the kernel takes for a client that reads nothing. */
    private static final int LARGE_BYTES = 10_000_000;

    private static final int SMALL_WINDOW_BYTES = 4096;

    private final HeldWebSockets sockets = new HeldWebSockets();

    @Test
    void asksAClientThatIsSilentAndGivesItUp() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            server.advance(PING);
            expect(client, "\u0089\u0000");
            client.send(frames().frame(0x8a, new byte[0]).toBytes());
            server.settleUntil(() -> server.listener.receivedBytes() > 0 && settled(server));
            server.advance(PING);
            expect(client, "\u0089\u0000");
            server.advance(PING);
            expect(client, "\u0089\u0000");
            server.advance(PING);
            sockets.expectEvent("closed 1006 ");
            server.listener.await("closed IDLE_TIMEOUT");
        }
    }

    @Test
    void aClientThatLeavesWithoutAWordIsToldAs1006() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            client.leave();
            sockets.expectEvent("closed 1006 ");
            server.listener.await("websocket closed /chat 1006, in 0 of 0, out 0 of 0");
        }
    }

    /** Since the handler takes nothing, the client is not read, and nobody sees its end. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatIsNotReadAndLeavesIsMissedByAPing(boolean resets)
            throws IOException, InterruptedException {
        byte[] message = frames().binary(new byte[60_000]).toBytes();
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            for (int i = 0; i < 20; i++) {
                client.send(message);
            }
            server.settleUntil(() -> server.listener.receivedBytes() > 300_000);
            server.settle();
            if (resets) {
                client.reset();
            } else {
                client.leave();
            }
            server.advance(Duration.ofSeconds(2));
            server.advance(Duration.ofSeconds(2));
            server.listener.await("closed RESET");
        }
    }

    @Test
    void aClientThatIsNotReadAndStaysMayBeSilentForLong() throws IOException, InterruptedException {
        byte[] message = frames().binary(new byte[60_000]).toBytes();
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            for (int i = 0; i < 20; i++) {
                client.send(message);
            }
            server.settleUntil(() -> server.listener.receivedBytes() > 300_000);
            server.settle();
            for (int i = 0; i < 100; i++) {
                server.advance(Duration.ofSeconds(2));
                expect(client, "\u0089\u0000");
            }
            socket.close(1000, "");
            expect(client, "\u0088\u0002\u0003\u00e8");
        }
    }

    /** Its end is read while the handshake waits, before it is a WebSocket. */
    @Test
    void aClientThatEndsBehindItsFirstMessageIsToldAs1006Too()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE).send(frames().text("early").toBytes());
            client.endOutput();
            Exchange asked = sockets.held.take();
            server.settle();
            WebSocket socket = asked.accept(Headers.EMPTY, sockets.listener());
            sockets.expectEvent("text early");
            socket.taken(69);
            sockets.expectEvent("closed 1006 ");
            client.readHead();
            client.expectEnd();
        }
    }

    @Test
    void aBrokenRuleIsToldWithItsCode() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            client.send(new byte[] {(byte) 0x81, 0});
            expect(client, "\u0088\u0016\u0003\u00eaa frame without mask");
            sockets.expectEvent("closed 1002 a frame without mask");
            client.expectEnd();
        }
    }

    @Test
    void aMessageAboveTheLimitIsToldAs1009() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withMessageBytes(10);
        try (TestServer server = TestServer.start(sockets, limits);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            client.send(frames().text("0123456789").toBytes());
            sockets.expectEvent("text 0123456789");
            socket.taken(74);
            client.send(frames().text("0123456789x").toBytes());
            sockets.expectEvent("closed 1009 the message is too long");
            expect(client, "\u0088\u0019\u0003\u00f1the message is too long");
        }
    }

    @Test
    void answersToEarlierMessagesLeaveBeforeTheRefusal() throws IOException, InterruptedException {
        sockets.answersLater = true;
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            client.send(frames().text("good").raw(0x81, 0x00).toBytes());
            sockets.expectEvent("text good");
            server.settle();
            sockets.expectNoEvent();
            socket.taken(68);
            sockets.expectEvent("closed 1002 a frame without mask");
            socket.send(true, Body.utf8("late"));
            socket.close(1000, "");
            expect(client, "\u0081\u0004late\u0088\u0016\u0003\u00eaa frame without mask");
            client.expectEnd();
        }
    }

    @Test
    void aHandlerThatDoesNotAnswerInTimeIsNotWaitedFor() throws IOException, InterruptedException {
        sockets.answersLater = true;
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            client.send(frames().text("kept").raw(0x81, 0x00).toBytes());
            sockets.expectEvent("text kept");
            server.advance(Duration.ofSeconds(5));
            sockets.expectEvent("closed 1002 a frame without mask");
            server.advance(Duration.ofSeconds(1));
            expect(client, "\u0088\u0016\u0003\u00eaa frame without mask");
        }
    }

    @Test
    void theServersCloseAwaitsTheClients() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            socket.close(4000, "enough");
            expect(client, "\u0088\u0008\u000f\u00a0enough");
            client.send(frames().text("too late").close(4000, "").toBytes());
            client.expectEnd();
            sockets.expectEvent("closed 4000 enough");
            sockets.expectNoEvent();
        }
    }

    @Test
    void aClientThatDoesNotAnswerACloseIsCut() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client).close(1000, "");
            expect(client, "\u0088\u0002\u0003\u00e8");
            server.advance(Duration.ofSeconds(5));
            client.expectEnd();
        }
    }

    @Test
    void codesThatMayNotBeSentThrow() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            assertThrows(IllegalArgumentException.class, () -> socket.close(1006, ""));
            assertThrows(IllegalArgumentException.class, () -> socket.close(1000, "x".repeat(124)));
            socket.close(1000, "x".repeat(123));
            assertNotNull(client.read(127));
        }
    }

    @Test
    void aDrainClosesWithinFiveSeconds() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            CompletableFuture<Void> drained = server.http.drain(Duration.ofSeconds(30));
            server.settle();
            server.advance(Duration.ofSeconds(5));
            expect(client, "\u0088\u0013\u0003\u00e9the server leaves");
            sockets.expectEvent("closed 1001 the server leaves");
            client.send(frames().close(1001, "").toBytes());
            client.expectEnd();
            client.leave();
            drained.join();
        }
    }

    @Test
    void aListenerThatThrowsEndsWith1011() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE);
            sockets.held
                    .take()
                    .accept(
                            Headers.EMPTY,
                            new WebSocketListener() {
                                @Override
                                public void onMessage(boolean text, Body message) {
                                    throw new IllegalStateException("as tested");
                                }

                                @Override
                                public void onClosed(int code, String reason) {
                                    sockets.note("closed " + code);
                                }
                            });
            assertEquals(101, client.readHead().status());
            client.send(frames().text("x").toBytes());
            expect(client, "\u0088\u0002\u0003\u00f3");
            sockets.expectEvent("closed 1011");
            server.listener.await("failed /chat as tested");
        }
    }

    @Test
    void aClientThatIsGoneBeforeItOpensIsToldOf() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE);
            Exchange exchange = sockets.held.take();
            client.reset();
            assertEquals("/chat CLIENT_GONE", sockets.held.takeAbandoned());
            exchange.accept(Headers.EMPTY, sockets.listener());
            sockets.expectEvent("closed 1006 ");
        }
    }

    @Test
    void theCloseOfAClientIsToldBehindItsMessagesThoughTheClientIsGone()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            client.send(frames().text("kept").close(4001, "bye").toBytes());
            client.endOutput();
            sockets.expectEvent("text kept");
            server.settle();
            sockets.expectNoEvent();
            socket.send(true, Body.utf8("late"));
            socket.taken(68);
            sockets.expectEvent("closed 4001 bye");
            expect(client, "\u0081\u0004late\u0088\u0005\u000f\u00a1bye");
            client.expectEnd();
            server.listener.await("closed WEBSOCKET_CLOSED");
        }
    }

    @Test
    void aClientThatGoesWithoutACloseIsToldOfBehindItsMessages()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            client.send(frames().text("kept").toBytes());
            client.endOutput();
            sockets.expectEvent("text kept");
            server.settle();
            sockets.expectNoEvent();
            socket.taken(68);
            sockets.expectEvent("closed 1006 ");
            client.expectEnd();
            server.listener.await("closed CLIENT_CLOSED");
        }
    }

    @Test
    void aHandlerThatClosesNeedsNoMessageBeforeTheEnd() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            WebSocket socket = sockets.open(client);
            client.send(frames().text("kept").close(4001, "bye").toBytes());
            sockets.expectEvent("text kept");
            server.settle();
            socket.close(1012, "");
            sockets.expectEvent("closed 4001 bye");
            expect(client, "\u0088\u0005\u000f\u00a1bye");
            client.expectEnd();
        }
    }

    @Test
    void aCloseWaitsUntilTheClientHasTakenWhatCameBefore()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = new RawClient(server.http.port(), SMALL_WINDOW_BYTES)) {
            WebSocket socket = sockets.open(client);
            socket.send(false, Body.of(new byte[LARGE_BYTES]));
            socket.close(1000, "");
            server.advance(Duration.ofSeconds(6));
            client.read(10 + LARGE_BYTES);
            expect(client, "\u0088\u0002\u0003\u00e8");
            client.send(frames().close(1000, "").toBytes());
            client.expectEnd();
        }
    }

    @Test
    void aDrainReadsOnToTheClientsAnswer() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            sockets.open(client);
            for (int i = 0; i < 6; i++) {
                client.send(frames().binary(new byte[64 * 1024]).toBytes());
            }
            for (int i = 0; i < 4; i++) {
                sockets.expectEvent("binary 65536");
            }
            CompletableFuture<Void> drained = server.http.drain(Duration.ofSeconds(30));
            server.settle();
            server.advance(Duration.ofSeconds(5));
            sockets.expectEvent("closed 1001 the server leaves");
            byte[] first = client.read(2);
            boolean isPing = first[0] == (byte) 0x89;
            assertArrayEquals(new byte[] {(byte) 0x88, 0x13}, isPing ? client.read(2) : first);
            expect(client, "\u0003\u00e9the server leaves");
            client.send(frames().close(1001, "").toBytes());
            server.listener.await("websocket closed /chat 1001, in 4 of 262144, out 0 of 0");
            client.expectEnd();
            client.leave();
            drained.join();
        }
    }

    @Test
    void aListenerThatThrowsAtTheEndEndsItOnce() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(sockets);
                RawClient client = server.connect()) {
            client.get("/chat", HANDSHAKE);
            sockets.held
                    .take()
                    .accept(
                            Headers.EMPTY,
                            new WebSocketListener() {
                                @Override
                                public void onMessage(boolean text, Body message) {}

                                @Override
                                public void onClosed(int code, String reason) {
                                    throw new IllegalStateException("as tested");
                                }
                            });
            assertEquals(101, client.readHead().status());
            client.send(frames().close(1000, "").toBytes());
            assertEquals("\u0088\u0002\u0003\u00e8", client.readToEnd());
            server.listener.await("failed /chat as tested");
        }
    }

    private static boolean settled(TestServer server) {
        server.settle();
        return true;
    }
}

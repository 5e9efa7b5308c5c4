package dev.handoff.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.ClientFrames;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.dispatch.RequestSnapshot;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** WebSockets of workers, with the real server in front of the pool. */
final class PoolWebSocketTest {
    private static final int CREDIT = 64 * 1024;
    private static final Duration SPREAD = Duration.ofSeconds(5);
    private static final String[] HANDSHAKE = {
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: chat, other"
    };

    private TestPool pool;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
        server =
                HttpServer.start(ServerOptions.of(pool.pool.handler()).withLoops(pool.loops.all()));
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        pool.close();
    }

    @Test
    void aWorkerSeesWholeMessages() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            Message.Request request = worker.request();
            assertEquals(List.of("chat", "other"), request.webSocket());
            worker.send(accept(request.id(), "sec-websocket-protocol", "chat"));
            RawResponse head = client.readHead();
            assertEquals(101, head.status());
            assertEquals("chat", head.header("sec-websocket-protocol"));

            client.send(frames().frame(0x01, bytes("hel")).frame(0x80, bytes("lo")).toBytes());
            assertEquals(
                    text(request.id(), "hello"), worker.expect(Message.WebSocketMessage.class));
            client.send(frames().binary(new byte[] {0, -1}).toBytes());
            assertEquals(
                    new Message.WebSocketMessage(request.id(), false, Body.of(new byte[] {0, -1})),
                    worker.expect(Message.WebSocketMessage.class));

            worker.send(text(request.id(), "back"), text(request.id(), ""));
            expect(client, "\u0081\u0004back\u0081\u0000");
            assertEquals(
                    List.of(RequestSnapshot.State.WEBSOCKET),
                    TestLoops.await(pool.pool.oldestRequests(5)).oldest().stream()
                            .map(RequestSnapshot::state)
                            .toList());
        }
    }

    @Test
    void theWelcomeNamesTheFeatureWhereHelloDid() throws IOException {
        try (TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(TestWorker.streaming(1, List.of("websockets"), 7));
            Message.Welcome welcome = worker.expect(Message.Welcome.class);
            assertEquals(List.of("websockets"), welcome.features());
            assertEquals(CREDIT, welcome.streamBytes());
        }
    }

    @Test
    void theClientsCloseComesBehindItsMessages() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = open(worker, client);
            client.send(frames().text("last").close(4001, "bye").toBytes());
            assertEquals(text(id, "last"), worker.expect(Message.WebSocketMessage.class));
            assertEquals(new Message.Close(id, 4001, "bye"), worker.expect(Message.Close.class));
            expect(client, "\u0088\u0005\u000f\u00a1bye");
            client.expectEnd();
            worker.send(new Message.Close(id, 0, ""));
            pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void theWorkersCloseReachesTheClient() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = open(worker, client);
            worker.send(text(id, "last"), new Message.Close(id, 3000, "enough"));
            expect(client, "\u0081\u0004last\u0088\u0008\u000b\u00b8enough");
            client.send(frames().close(3000, "").toBytes());
            client.expectEnd();
            pool.await(snapshot -> snapshot.streams() == 0);
            assertFalse(worker.hasMessage());
        }
    }

    @Test
    void aCloseWithoutCodeIs1000() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            worker.send(new Message.Close(open(worker, client), 0, ""));
            expect(client, "\u0088\u0002\u0003\u00e8");
        }
    }

    @Test
    void onOneLoopTheWorkerHearsOfNoEndThatIsItsOwn() throws IOException {
        server.stop();
        pool.close();
        pool = TestPool.startOnOneLoop();
        server =
                HttpServer.start(ServerOptions.of(pool.pool.handler()).withLoops(pool.loops.all()));
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask();
                RawClient drained = askAfter(worker, client)) {
            long id = open(worker, drained);
            worker.send(new Message.Close(id - 1, 3000, ""));
            expect(client, "\u0088\u0002\u000b\u00b8");
            worker.send(new Message.Drain());
            assertEquals(new Message.Close(id, 1001, "drain"), worker.expect(Message.Close.class));
            worker.send(new Message.Close(id, 0, ""));
            worker.awaitEnd();
            assertFalse(worker.hasMessage());
            worker.die();
            assertEquals(LeaveReason.DRAINED, pool.events.await(PoolEvent.Left.class).reason());
        }
    }

    @Test
    void aClientThatIsGoneIs1006() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = open(worker, client);
            client.leave();
            assertEquals(new Message.Close(id, 1006, ""), worker.expect(Message.Close.class));
        }
    }

    @Test
    void aWorkerThatDoesNotAnswerACloseIsStuck() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            open(worker, client);
            client.leave();
            worker.expect(Message.Close.class);
            pool.advance(PoolLimits.DEFAULT.cancelGrace());
            pool.await(snapshot -> snapshot.workers().isEmpty());
        }
    }

    @Test
    void answersThatAreDueLeaveBeforeARefusal() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = open(worker, client);
            client.send(frames().text("good").raw(0x81, 0).toBytes());
            worker.expect(Message.WebSocketMessage.class);
            assertEquals(
                    new Message.Close(id, 1002, "a frame without mask"),
                    worker.expect(Message.Close.class));
            worker.send(text(id, "answer"), new Message.Close(id, 0, ""));
            expect(client, "\u0081\u0006answer\u0088\u0016\u0003\u00eaa frame without mask");
        }
    }

    @Test
    void anyOtherResponseRefuses() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            worker.answerNext("not here");
            RawResponse response = client.readResponse();
            assertEquals("not here", response.text());
            assertEquals("close", response.header("connection"));
        }
    }

    @Test
    void aSubprotocolThatWasNotOfferedIs502() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = worker.request().id();
            worker.send(accept(id, "sec-websocket-protocol", "neither"));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertEquals(new Message.Close(id, 1006, ""), worker.expect(Message.Close.class));
        }
    }

    @Test
    void aMalformedHandshakeReachesNoWorker() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = new RawClient(server.port())) {
            client.get("/", "Connection: upgrade", "Upgrade: websocket");
            RawResponse response = client.readResponse();
            assertEquals(426, response.status());
            assertEquals("13", response.header("sec-websocket-version"));
            assertEquals("websocket_version", response.header("handoff-error"));
            assertFalse(worker.hasMessage());
        }
    }

    @Test
    void aWorkerThatTakesNoneGetsAPlainRequest() throws IOException {
        try (TestWorker worker = pool.join(1);
                RawClient client = ask()) {
            worker.answerNext("plain");
            assertEquals("plain", client.readResponse().text());
            pool.events.await(PoolEvent.UntakenWebSocket.class);
        }
    }

    @Test
    void aPoolOfBothKindsGivesThemToThoseThatTakeThem() throws IOException {
        try (TestWorker plain = pool.join(10);
                TestWorker worker = join(Message.MAX_ID)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                RawClient client = ask();
                clients.add(client);
                open(worker, client);
            }
            assertFalse(plain.hasMessage());
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void whoDidNotNameTheFeatureBreaksTheProtocol() throws IOException {
        for (Message message : List.of(text(1, ""), new Message.Close(1, 0, ""))) {
            try (TestWorker worker = TestWorker.joinStreaming(pool.path, 1, 1);
                    RawClient client = ask()) {
                worker.request();
                worker.send(message);
                assertEquals("unnamed_feature", worker.expect(Message.Refused.class).code());
                assertEquals("worker_fault", client.readResponse().header("handoff-error"));
            }
        }
    }

    @Test
    void theWorkerMayOnlyNameTheFeatureOfWebSockets() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            worker.send(new Message.Data(worker.request().id(), false, Body.EMPTY));
            assertEquals("unnamed_feature", worker.expect(Message.Refused.class).code());
            assertEquals("worker_fault", client.readResponse().header("handoff-error"));
        }
    }

    @Test
    void aBrokenRuleIs1011() throws IOException {
        assertBreaks("it closed with code 1006", id -> new Message.Close(id, 1006, ""), true);
        assertBreaks(
                "it closed with code 1000",
                id -> new Message.Close(id, 1000, "x".repeat(124)),
                true);
        assertBreaks(
                "it sent text that is not UTF-8",
                id -> new Message.WebSocketMessage(id, true, Body.of(new byte[] {-1})),
                false);
        assertBreaks("it sent what does not belong to a WebSocket", id -> accept(id), false);
    }

    private interface Breach {
        Message of(long id);
    }

    private void assertBreaks(String rule, Breach breach, boolean last) throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = open(worker, client);
            worker.send(breach.of(id));
            expect(client, "\u0088\u000e\u0003\u00f3bad_response");
            if (!last) {
                assertEquals(1011, worker.expect(Message.Close.class).code());
                worker.send(new Message.Close(id, 0, ""));
            }
            pool.await(snapshot -> snapshot.streams() == 0);
            pool.events.await(PoolEvent.BrokenWebSocket.class, event -> event.rule().equals(rule));
        }
        pool.await(snapshot -> snapshot.workers().isEmpty());
    }

    @Test
    void aMessageBeforeTheAcceptanceIsABadResponse() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = worker.request().id();
            worker.send(text(id, "early"));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertEquals(
                    new Message.Cancel(id, CancelReason.BAD_RESPONSE),
                    worker.expect(Message.Cancel.class));
        }
    }

    @Test
    void aFailureIs1011() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            worker.send(new Message.Failure(open(worker, client), "as tested", false));
            expect(client, "\u0088\u0010\u0003\u00f3handler_failed");
            pool.await(snapshot -> snapshot.streams() == 0);
        }
    }

    @Test
    void aLostWorkerIs1012() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            open(worker, client);
            worker.die();
            expect(client, "\u0088\r\u0003\u00f4worker_lost");
        }
    }

    @Test
    void aDrainClosesWithinFiveSecondsAndWaitsForNothing() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient first = ask();
                RawClient second = askAfter(worker, first)) {
            open(worker, second);
            worker.send(new Message.Drain());
            pool.advance(Duration.ZERO);
            Message.Close told = worker.expect(Message.Close.class);
            assertEquals(1001, told.code());
            worker.send(new Message.Close(told.id(), 0, ""));
            pool.advance(SPREAD.dividedBy(2));
            Message.Close other = worker.expect(Message.Close.class);
            worker.send(new Message.Close(other.id(), 0, ""));
            for (RawClient client : List.of(first, second)) {
                expect(client, "\u0088\u0010\u0003\u00e9worker_drained");
            }
            pool.await(snapshot -> snapshot.streams() == 0);
        }
    }

    private RawClient askAfter(TestWorker worker, RawClient before) throws IOException {
        open(worker, before);
        return ask();
    }

    @Test
    void aWorkerGetsCreditAsItsClientTakesMessages() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask()) {
            long id = open(worker, client);
            worker.send(new Message.WebSocketMessage(id, false, Body.of(new byte[CREDIT])));
            client.read(10 + CREDIT);
            assertTrue(worker.expect(Message.Credit.class).bytes() >= CREDIT / 2);
        }
    }

    @Test
    void aMessageWithoutCreditEndsThatWebSocketAlone() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask();
                RawClient other = askAfter(worker, client)) {
            long otherId = open(worker, other);
            long id = otherId - 1;
            Message large = new Message.WebSocketMessage(id, false, Body.of(new byte[20_000_000]));
            worker.send(large, text(id, "too much"));
            assertEquals(1008, worker.expect(Message.Close.class).code());
            worker.send(new Message.Close(id, 0, ""), text(otherId, "well"));
            expect(other, "\u0081\u0004well");
        }
    }

    @Test
    void aWorkerThatGivesCreditGetsNoMoreThanThat() throws IOException {
        try (TestWorker worker = join(100);
                RawClient client = ask()) {
            long id = open(worker, client);
            client.send(frames().text("x".repeat(30)).text("y".repeat(30)).text("z").toBytes());
            worker.expect(Message.WebSocketMessage.class);
            // The first cost 94 of 100, so the second may take it below.
            assertEquals(text(id, "y".repeat(30)), worker.expect(Message.WebSocketMessage.class));
            pool.advance(Duration.ZERO);
            assertFalse(worker.hasMessage());
            worker.send(new Message.Credit(id, 88));
            pool.advance(Duration.ZERO);
            assertFalse(worker.hasMessage(), "the credit is zero");
            worker.send(new Message.Credit(id, 1));
            assertEquals(text(id, "z"), worker.expect(Message.WebSocketMessage.class));
        }
    }

    @Test
    void oneThatStaysLeavesTheWindow() throws IOException {
        try (TestWorker worker = join(Message.MAX_ID);
                RawClient client = ask();
                RawClient plain = new RawClient(server.port())) {
            open(worker, client);
            pool.await(snapshot -> snapshot.streams() == 1 && snapshot.inFlight() == 0);
            plain.get("/plain");
            Message.Request request = worker.request();
            assertNull(request.webSocket());
            worker.answer(request, "served");
            assertEquals("served", plain.readResponse().text());
        }
    }

    /** A worker of one place, with room for others besides. */
    private TestWorker join(long creditBytes) throws IOException {
        TestWorker worker = TestWorker.connect(pool.path);
        Message.Hello hello =
                TestWorker.uploading(1, List.of(Message.WEBSOCKETS), 1 << 20, creditBytes);
        worker.send(
                new Message.Hello(
                        1,
                        hello.pool(),
                        null,
                        null,
                        0,
                        null,
                        null,
                        null,
                        1,
                        hello.features(),
                        10,
                        hello.bodyBytes(),
                        creditBytes));
        worker.expect(Message.Welcome.class);
        return worker;
    }

    private RawClient ask() throws IOException {
        return new RawClient(server.port()).get("/chat", HANDSHAKE);
    }

    /** Returns the id under which the worker has accepted it. */
    private static long open(TestWorker worker, RawClient client) throws IOException {
        long id = worker.request().id();
        worker.send(accept(id));
        assertEquals(101, client.readHead().status());
        return id;
    }

    private static Message.Response accept(long id, String... headers) {
        return new Message.Response(id, Response.of(101, Headers.of(headers), Body.EMPTY), true);
    }

    private static Message.WebSocketMessage text(long id, String text) {
        return new Message.WebSocketMessage(id, true, Body.utf8(text));
    }

    private static void expect(RawClient client, String latin1) throws IOException {
        assertEquals(latin1, new String(client.read(latin1.length()), ISO_8859_1));
    }

    private static ClientFrames frames() {
        return new ClientFrames();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }
}

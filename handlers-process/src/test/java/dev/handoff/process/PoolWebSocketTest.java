package dev.handoff.process;

import static dev.handoff.process.WebSocketPool.accept;
import static dev.handoff.process.WebSocketPool.binary;
import static dev.handoff.process.WebSocketPool.expect;
import static dev.handoff.process.WebSocketPool.fragment;
import static dev.handoff.process.WebSocketPool.frames;
import static dev.handoff.process.WebSocketPool.open;
import static dev.handoff.process.WebSocketPool.text;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.process.dispatch.RequestSnapshot;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
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

    private WebSocketPool sockets;

    @BeforeEach
    void start() throws IOException {
        sockets = WebSocketPool.start();
    }

    @AfterEach
    void stop() throws IOException {
        sockets.close();
    }

    @Test
    void aWorkerSeesWholeMessages() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            Message.Request request = worker.request();
            assertEquals(List.of("chat", "other"), request.webSocket());
            worker.send(accept(request.id(), "sec-websocket-protocol", "chat"));
            RawResponse head = client.readHead();
            assertEquals(101, head.status());
            assertEquals("chat", head.header("sec-websocket-protocol"));

            client.send(
                    frames().frame(0x01, "hel".getBytes(ISO_8859_1))
                            .frame(0x80, "lo".getBytes(ISO_8859_1))
                            .toBytes());
            assertEquals(
                    text(request.id(), "hello"), worker.expect(Message.WebSocketMessage.class));
            client.send(frames().binary(new byte[] {0, -1}).toBytes());
            assertEquals(
                    binary(request.id(), new byte[] {0, -1}),
                    worker.expect(Message.WebSocketMessage.class));

            worker.send(text(request.id(), "back"), text(request.id(), ""));
            expect(client, "\u0081\u0004back\u0081\u0000");
            assertEquals(
                    List.of(RequestSnapshot.State.WEBSOCKET),
                    TestLoops.await(sockets.pool.pool.oldestRequests(5)).oldest().stream()
                            .map(RequestSnapshot::state)
                            .toList());
        }
    }

    @Test
    void theWelcomeNamesTheFeatureWhereHelloDid() throws IOException {
        try (TestWorker worker = TestWorker.connect(sockets.pool.path)) {
            worker.send(TestWorker.streaming(1, List.of("websockets"), 7));
            Message.Welcome welcome = worker.expect(Message.Welcome.class);
            assertEquals(List.of("websockets"), welcome.features());
            assertEquals(CREDIT, welcome.streamBytes());
        }
    }

    @Test
    void anyOtherResponseRefuses() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            worker.answerNext("not here");
            RawResponse response = client.readResponse();
            assertEquals("not here", response.text());
            assertEquals("close", response.header("connection"));
        }
    }

    @Test
    void aSubprotocolThatWasNotOfferedIs502() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = worker.request().id();
            worker.send(accept(id, "sec-websocket-protocol", "neither"));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertEquals(new Message.Close(id, 1006, ""), worker.expect(Message.Close.class));
        }
    }

    @Test
    void aMalformedHandshakeIsAnyRequestWhenNoWorkerTakesWebSocketsAnyMore() throws IOException {
        try (TestWorker other = TestWorker.join(sockets.pool.path, 1);
                RawClient client = new RawClient(sockets.server.port())) {
            sockets.join().close();
            sockets.pool.events.await(PoolEvent.Left.class);
            client.get("/", "Connection: upgrade", "Upgrade: websocket");
            other.answerNext("a page");
            assertEquals("a page", client.readResponse().text());
        }
    }

    /** Until others have come in its place. */
    @Test
    void aMalformedHandshakeIsRefusedWhenTheLastWorkerTookWebSockets() throws IOException {
        try (RawClient client = new RawClient(sockets.server.port())) {
            sockets.join().close();
            sockets.pool.events.await(PoolEvent.Left.class);
            client.get("/", "Connection: upgrade", "Upgrade: websocket");
            assertEquals(426, client.readResponse().status());
        }
    }

    @Test
    void aMalformedHandshakeReachesNoWorker() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = new RawClient(sockets.server.port())) {
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
        try (TestWorker worker = sockets.pool.join(1);
                RawClient client = sockets.ask()) {
            worker.answerNext("plain");
            assertEquals("plain", client.readResponse().text());
            sockets.pool.events.await(PoolEvent.UntakenWebSocket.class);
        }
    }

    @Test
    void aPoolOfBothKindsGivesThemToThoseThatTakeThem() throws IOException {
        try (TestWorker plain = sockets.pool.join(10);
                TestWorker worker = sockets.join()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                RawClient client = sockets.ask();
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
            try (TestWorker worker = TestWorker.joinStreaming(sockets.pool.path, 1, 1);
                    RawClient client = sockets.ask()) {
                worker.request();
                worker.send(message);
                assertEquals("unnamed_feature", worker.expect(Message.Refused.class).code());
                assertEquals("worker_fault", client.readResponse().header("handoff-error"));
            }
        }
    }

    @Test
    void theWorkerMayOnlyNameTheFeatureOfWebSockets() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
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

    @Test
    void fragmentsOfAWorkerBecomeOneMessage() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            byte[] umlaut = "ä".getBytes(UTF_8);
            worker.send(
                    fragment(id, true, umlaut[0]),
                    fragment(id, false),
                    new Message.WebSocketMessage(id, false, Body.of(new byte[] {umlaut[1]})),
                    fragment(id, false, umlaut[1]),
                    binary(id, umlaut),
                    text(id, "next"));
            expect(client, "\u0001\u0001\u00c3\u0000\u0000\u0080\u0001\u00a4");
            expect(client, "\u0002\u0001\u00a4\u0080\u0002\u00c3\u00a4\u0081\u0004next");
        }
    }

    @Test
    void textInFragmentsHasToBeUtf8() throws IOException {
        String rule = "it sent text that is not UTF-8";
        assertBreaks(rule, id -> fragment(id, true, (byte) -1), false);
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            worker.send(fragment(id, true, (byte) 0xc3), text(id, "x"));
            expect(client, "\u0001\u0001\u00c3\u0088\u000e\u0003\u00f3bad_response");
            assertEquals(1011, worker.expect(Message.Close.class).code());
        }
    }

    @Test
    void eachFragmentTakesCredit() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            worker.send(
                    new Message.WebSocketMessage(id, false, true, Body.of(new byte[20_000_000])),
                    fragment(id, false));
            assertEquals(1008, worker.expect(Message.Close.class).code());
        }
    }

    /** Half a message never looks whole: the close comes where its other half would. */
    @Test
    void aWorkerMayCloseInTheMiddleOfAMessage() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            worker.send(fragment(id, true, (byte) 'a'), new Message.Close(id, 1000, ""));
            expect(client, "\u0001\u0001a\u0088\u0002\u0003\u00e8");
        }
    }

    @Test
    void fragmentsAreForWorkersThatNamedThem() throws IOException {
        try (TestWorker worker = TestWorker.connect(sockets.pool.path)) {
            worker.send(TestWorker.streaming(1, List.of("websockets"), 7));
            worker.expect(Message.Welcome.class);
            try (RawClient client = sockets.ask()) {
                worker.send(fragment(open(worker, client), false));
                assertEquals("unnamed_feature", worker.expect(Message.Refused.class).code());
            }
        }
    }

    private interface Breach {
        Message of(long id);
    }

    private void assertBreaks(String rule, Breach breach, boolean last) throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            worker.send(breach.of(id));
            expect(client, "\u0088\u000e\u0003\u00f3bad_response");
            if (!last) {
                assertEquals(1011, worker.expect(Message.Close.class).code());
                worker.send(new Message.Close(id, 0, ""));
            }
            sockets.pool.await(snapshot -> snapshot.streams() == 0);
            sockets.pool.events.await(
                    PoolEvent.BrokenWebSocket.class, event -> event.rule().equals(rule));
        }
        sockets.pool.await(snapshot -> snapshot.workers().isEmpty());
    }

    @Test
    void aMessageBeforeTheAcceptanceIsABadResponse() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = worker.request().id();
            worker.send(text(id, "early"));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertEquals(
                    new Message.Cancel(id, CancelReason.BAD_RESPONSE),
                    worker.expect(Message.Cancel.class));
        }
    }

    @Test
    void aWorkerGetsCreditAsItsClientTakesMessages() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            worker.send(binary(id, new byte[CREDIT]));
            client.read(10 + CREDIT);
            assertTrue(worker.expect(Message.Credit.class).bytes() >= CREDIT / 2);
        }
    }

    @Test
    void aMessageWithoutCreditEndsThatWebSocketAlone() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            try (RawClient other = sockets.ask()) {
                long otherId = open(worker, other);
                worker.send(binary(id, new byte[20_000_000]), text(id, "too much"));
                assertEquals(1008, worker.expect(Message.Close.class).code());
                worker.send(new Message.Close(id, 0, ""), text(otherId, "well"));
                expect(other, "\u0081\u0004well");
            }
        }
    }

    @Test
    void aWorkerThatGivesCreditGetsNoMoreThanThat() throws IOException {
        try (TestWorker worker = sockets.join(100, 10);
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            client.send(frames().text("x".repeat(30)).text("y".repeat(30)).text("z").toBytes());
            worker.expect(Message.WebSocketMessage.class);
            // The first cost 94 of 100, so the second may take it below.
            assertEquals(text(id, "y".repeat(30)), worker.expect(Message.WebSocketMessage.class));
            sockets.pool.advance(Duration.ZERO);
            assertFalse(worker.hasMessage());
            worker.send(new Message.Credit(id, 88));
            sockets.pool.advance(Duration.ZERO);
            assertFalse(worker.hasMessage(), "the credit is zero");
            worker.send(new Message.Credit(id, 1));
            assertEquals(text(id, "z"), worker.expect(Message.WebSocketMessage.class));
        }
    }

    @Test
    void oneThatStaysLeavesTheWindow() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask();
                RawClient plain = new RawClient(sockets.server.port())) {
            open(worker, client);
            sockets.pool.await(snapshot -> snapshot.streams() == 1 && snapshot.inFlight() == 0);
            plain.get("/plain");
            Message.Request request = worker.request();
            assertNull(request.webSocket());
            worker.answer(request, "served");
            assertEquals("served", plain.readResponse().text());
        }
    }
}

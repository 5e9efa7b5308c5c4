package dev.handoff.process;

import static dev.handoff.process.WebSocketPool.accept;
import static dev.handoff.process.WebSocketPool.binary;
import static dev.handoff.process.WebSocketPool.expect;
import static dev.handoff.process.WebSocketPool.frames;
import static dev.handoff.process.WebSocketPool.open;
import static dev.handoff.process.WebSocketPool.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How WebSockets of workers end, whoever ends them. */
final class PoolWebSocketEndTest {
    private static final Duration SPREAD = Duration.ofSeconds(5);

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
    void theClientsCloseComesBehindItsMessages() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            client.send(frames().text("last").close(4001, "bye").toBytes());
            assertEquals(text(id, "last"), worker.expect(Message.WebSocketMessage.class));
            assertEquals(new Message.Close(id, 4001, "bye"), worker.expect(Message.Close.class));
            expect(client, "\u0088\u0005\u000f\u00a1bye");
            client.expectEnd();
            worker.send(new Message.Close(id, 0, ""));
            sockets.pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void theWorkersCloseReachesTheClient() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            worker.send(text(id, "last"), new Message.Close(id, 3000, "enough"));
            expect(client, "\u0081\u0004last\u0088\u0008\u000b\u00b8enough");
            client.send(frames().close(3000, "").toBytes());
            client.expectEnd();
            sockets.pool.await(snapshot -> snapshot.streams() == 0);
            assertFalse(worker.hasMessage());
        }
    }

    @Test
    void aCloseWithoutCodeIs1000() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            worker.send(new Message.Close(open(worker, client), 0, ""));
            expect(client, "\u0088\u0002\u0003\u00e8");
        }
    }

    @Test
    void onOneLoopTheWorkerHearsOfNoEndThatIsItsOwn() throws IOException {
        try (WebSocketPool one = WebSocketPool.startOnOneLoop();
                TestWorker worker = one.join();
                RawClient client = one.opened(worker);
                RawClient drained = one.ask()) {
            long id = open(worker, drained);
            worker.send(new Message.Close(id - 1, 3000, ""));
            expect(client, "\u0088\u0002\u000b\u00b8");
            worker.send(new Message.Drain());
            assertEquals(new Message.Close(id, 1001, "drain"), worker.expect(Message.Close.class));
            worker.send(new Message.Close(id, 0, ""));
            worker.awaitEnd();
            assertFalse(worker.hasMessage());
            worker.die();
            assertEquals(LeaveReason.DRAINED, one.pool.events.await(PoolEvent.Left.class).reason());
        }
    }

    @Test
    void onOneLoopTheWorkerHearsThatItsAcceptanceIsRefused() throws IOException {
        try (WebSocketPool one = WebSocketPool.startOnOneLoop();
                TestWorker worker = one.join();
                RawClient client = one.ask()) {
            long id = worker.request().id();
            worker.send(accept(id, "sec-websocket-protocol", "neither"));
            assertEquals("bad_response", client.readResponse().header("handoff-error"));
            assertEquals(new Message.Close(id, 1006, ""), worker.expect(Message.Close.class));
            worker.send(new Message.Close(id, 0, ""));
            one.pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void aClientThatLeavesAsItsWorkerAcceptsIs1006() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = worker.request().id();
            client.reset();
            worker.expect(Message.Cancel.class);
            worker.send(accept(id), text(id, "welcome"));
            assertEquals(new Message.Close(id, 1006, ""), worker.expect(Message.Close.class));
            worker.send(new Message.Close(id, 0, ""));
            sockets.pool.await(snapshot -> snapshot.streams() == 0 && snapshot.inFlight() == 0);
        }
    }

    @Test
    void aClientThatIsGoneIs1006() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            client.leave();
            assertEquals(new Message.Close(id, 1006, ""), worker.expect(Message.Close.class));
        }
    }

    @Test
    void aWorkerThatDoesNotAnswerACloseIsStuck() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            open(worker, client);
            client.leave();
            worker.expect(Message.Close.class);
            sockets.pool.advance(PoolLimits.DEFAULT.cancelGrace());
            sockets.pool.await(snapshot -> snapshot.workers().isEmpty());
        }
    }

    @Test
    void answersThatAreDueLeaveBeforeARefusal() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
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
    void aLargeAnswerThatIsDueLeavesBeforeARefusalToo() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            long id = open(worker, client);
            client.send(frames().text("good").raw(0x81, 0).toBytes());
            worker.expect(Message.WebSocketMessage.class);
            worker.expect(Message.Close.class);
            worker.send(binary(id, new byte[1_000_000]), new Message.Close(id, 0, ""));
            assertEquals(0x7f, client.read(10)[1]);
            client.read(1_000_000);
            expect(client, "\u0088\u0016\u0003\u00eaa frame without mask");
        }
    }

    @Test
    void aFailureIs1011() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            worker.send(new Message.Failure(open(worker, client), "as tested", false));
            expect(client, "\u0088\u0010\u0003\u00f3handler_failed");
            sockets.pool.await(snapshot -> snapshot.streams() == 0);
        }
    }

    @Test
    void aLostWorkerIs1012() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient client = sockets.ask()) {
            open(worker, client);
            worker.die();
            expect(client, "\u0088\r\u0003\u00f4worker_lost");
        }
    }

    @Test
    void aDrainClosesWithinFiveSecondsAndWaitsForNothing() throws IOException {
        try (TestWorker worker = sockets.join();
                RawClient first = sockets.opened(worker);
                RawClient second = sockets.opened(worker)) {
            worker.send(new Message.Drain());
            sockets.pool.advance(Duration.ZERO);
            Message.Close told = worker.expect(Message.Close.class);
            assertEquals(1001, told.code());
            worker.send(new Message.Close(told.id(), 0, ""));
            sockets.pool.advance(SPREAD.dividedBy(2));
            Message.Close other = worker.expect(Message.Close.class);
            worker.send(new Message.Close(other.id(), 0, ""));
            for (RawClient client : List.of(first, second)) {
                expect(client, "\u0088\u0010\u0003\u00e9worker_drained");
            }
            sockets.pool.await(snapshot -> snapshot.streams() == 0);
        }
    }

    @Test
    void aDrainOfManyClosesThemInBatches() throws IOException {
        int count = 150;
        List<RawClient> clients = new ArrayList<>();
        try (TestWorker worker = sockets.join(Message.MAX_ID, count)) {
            for (int i = 0; i < count; i++) {
                clients.add(sockets.opened(worker));
            }
            worker.send(new Message.Drain());
            int told = 0;
            for (int batch = 1; batch <= count / 2; batch++) {
                sockets.pool.advance(batch == 1 ? Duration.ZERO : SPREAD.dividedBy(100));
                while (told < 2 * batch) {
                    Message.Close close = worker.expect(Message.Close.class);
                    assertEquals(1001, close.code());
                    worker.send(new Message.Close(close.id(), 0, ""));
                    told++;
                }
                assertFalse(worker.hasMessage());
            }
            sockets.pool.await(snapshot -> snapshot.streams() == 0);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}

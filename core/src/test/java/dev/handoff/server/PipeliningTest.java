package dev.handoff.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipeliningTest {
    /** Answers at once, and counts how many requests begin in one turn of the loop. */
    private static final class TurnCounter implements Handler {
        private long turn;
        private int inTurn;
        volatile int most;

        @Override
        public void handle(Exchange exchange) {
            inTurn = turn == exchange.loop().turn() ? inTurn + 1 : 1;
            turn = exchange.loop().turn();
            most = Math.max(most, inTurn);
            HeldRequests.answer(exchange);
        }
    }

    private static final int BACKLOG_BYTES = 64 * 1024;

    /** More than the kernel ever holds of what one side sent and the other has not read. */
    private static final long KERNEL_BYTES = 24 * 1024 * 1024;

    private final HeldRequests held = new HeldRequests();

    @Test
    void answersPipelinedRequestsInOrderWhateverTheOrderOfTheResponses()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send(gets(16));
            List<Exchange> exchanges = held.take(16);
            Collections.reverse(exchanges);
            exchanges.forEach(HeldRequests::answer);

            expectResponses(client, 16);
        }
    }

    @Test
    void aFloodThatIsAnsweredAtOnceLeavesEachTurnToOthersToo() throws IOException {
        TurnCounter counting = new TurnCounter();
        try (TestServer server = TestServer.start(counting);
                RawClient client = server.connect()) {
            client.send(gets(1000));
            expectResponses(client, 1000);
            assertEquals(16, counting.most);
        }
    }

    /** Its path may be read in many ways. */
    @Test
    void aLongTargetCountsAsSeveralRequests() throws IOException {
        TurnCounter counting = new TurnCounter();
        try (TestServer server = TestServer.start(counting);
                RawClient client = server.connect()) {
            client.send(RawClient.getRequest("/" + "x".repeat(3 * 1024)).repeat(20));
            for (int i = 0; i < 20; i++) {
                client.readResponse();
            }
            assertEquals(4, counting.most);
        }
    }

    @Test
    void manyFloodsShareATurn() throws IOException {
        TurnCounter counting = new TurnCounter();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.start(counting)) {
            for (int i = 0; i < 100; i++) {
                clients.add(server.connect());
            }
            for (RawClient client : clients) {
                client.send(gets(200));
            }
            for (RawClient client : clients) {
                expectResponses(client, 200);
            }
            assertTrue(counting.most <= 512 + 100, counting.most + " in a turn");
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void anUnsafeRequestRunsAlone() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/a").get("/b").post("/unsafe", "x").get("/c").post("/last", "y");
            List<Exchange> safe = held.take(2);
            expectNoneWaiting(server);

            HeldRequests.answer(safe.get(1));
            expectNoneWaiting(server);
            HeldRequests.answer(safe.get(0));
            Exchange unsafe = held.take();
            assertEquals("/unsafe", unsafe.request().target());
            expectNoneWaiting(server);

            HeldRequests.answer(unsafe);
            Exchange behind = held.take();
            assertEquals("/c", behind.request().target());
            expectNoneWaiting(server);

            HeldRequests.answer(behind);
            HeldRequests.answer(held.take());
            for (String target : List.of("/a", "/b", "/unsafe", "/c", "/last")) {
                assertEquals(target, client.readResponse().text());
            }
        }
    }

    @Test
    void whatRunsAloneHoldsUpWhatIsBehindUntilItIsWritten()
            throws IOException, InterruptedException {
        Handler alone =
                exchange -> {
                    if (exchange.request().target().equals("/alone")) {
                        exchange.runAlone();
                    }
                    held.handle(exchange);
                };
        try (TestServer server = TestServer.start(alone);
                RawClient client = server.connect()) {
            client.get("/a").get("/alone").get("/b").get("/c");
            List<Exchange> begun = held.take(2);
            expectNoneWaiting(server);
            HeldRequests.answer(begun.get(1));
            expectNoneWaiting(server);
            HeldRequests.answer(begun.get(0));
            held.take(2).forEach(HeldRequests::answer);
            for (String target : List.of("/a", "/alone", "/b", "/c")) {
                assertEquals(target, client.readResponse().text());
            }
        }
    }

    @Test
    void handlesNoMoreAtATimeThanTheDepthAllows() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withPipelinedRequests(4);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.send(gets(9));
            List<Exchange> first = held.take(4);
            expectNoneWaiting(server);

            // A response out of order leaves nothing: it makes no room yet.
            HeldRequests.answer(first.get(3));
            expectNoneWaiting(server);
            HeldRequests.answer(first.get(0));
            Exchange fifth = held.take();
            expectNoneWaiting(server);

            HeldRequests.answer(first.get(1));
            HeldRequests.answer(first.get(2));
            HeldRequests.answer(fifth);
            for (int i = 5; i < 9; i++) {
                HeldRequests.answer(held.take());
            }
            expectResponses(client, 9);
        }
    }

    @Test
    void keepsWhatComesBehindARequestThatHasToWait() throws IOException, InterruptedException {
        int count = 3 * BACKLOG_BYTES / get(0).length();
        ServerLimits limits = ServerLimits.DEFAULT.withPipelinedRequests(1);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.send(gets(count));
            for (int i = 0; i < count; i++) {
                HeldRequests.answer(held.take());
            }

            expectResponses(client, count);
        }
    }

    @Test
    void aClientThatSendsMoreThanIsKeptHasToWait() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withPipelinedRequests(1);
        try (TestServer server = TestServer.start(held, limits);
                SocketChannel client =
                        SocketChannel.open(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), server.http.port()))) {
            client.configureBlocking(false);
            byte[] requests = gets(10_000).getBytes(US_ASCII);
            long sent = 0;
            for (int refused = 0; refused < 10 && sent < 4 * KERNEL_BYTES; ) {
                int taken = client.write(ByteBuffer.wrap(requests));
                sent += taken;
                refused = taken == 0 ? refused + 1 : 0;
                server.settle();
            }

            assertTrue(sent < KERNEL_BYTES, sent + " bytes were taken");
        }
    }

    @Test
    void aRequestThatBeganIsReadOnWhileOthersWait() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withPipelinedRequests(2);
        String body = "x".repeat(4 * BACKLOG_BYTES);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.get("/first").post("/large", body);
            HeldRequests.answer(held.take());
            Exchange large = held.take();
            large.respond(
                    new Response(200, null, large.request().headers(), large.request().body()));

            assertEquals("/first", client.readResponse().text());
            assertEquals(body, client.readResponse().text());
        }
    }

    @Test
    void goesOnWithPipelinedRequestsAfterMuchOutputThatLeftAtOnce() throws IOException {
        // More than a client may leave unsent, yet no more than the kernel takes in one turn.
        String response = "x".repeat(100_000);
        try (TestServer server = TestServer.start(e -> e.respond(Response.text(200, response)));
                RawClient client = server.connect()) {
            client.send(gets(30));

            for (int i = 0; i < 30; i++) {
                assertEquals(response.length(), client.readResponse().body().sizeBytes());
            }
        }
    }

    @Test
    void handlesNothingMoreForAClientThatDoesNotReadItsResponses()
            throws IOException, InterruptedException {
        Response large = Response.text(200, "x".repeat(10_000_000));
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/0");
            held.take().respond(large);
            server.settle();
            client.get("/1");
            expectNoneWaiting(server);

            assertEquals(10_000_000, client.readResponse().body().sizeBytes());
            HeldRequests.answer(held.take());
            assertEquals("/1", client.readResponse().text());
        }
    }

    @Test
    void answersAllThatWasPipelinedBeforeTheClientEndedItsOutput()
            throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withPipelinedRequests(2);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.send(gets(7));
            client.endOutput();
            for (int i = 0; i < 7; i++) {
                server.settle();
                HeldRequests.answer(held.take());
            }

            expectResponses(client, 7);
            client.expectEnd();
            server.listener.await("closed CLIENT_CLOSED");
        }
    }

    private void expectNoneWaiting(TestServer server) {
        server.settle();
        assertEquals(0, held.waiting());
    }

    private static void expectResponses(RawClient client, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            assertEquals("/" + i, client.readResponse().text());
        }
        assertTrue(count > 0);
    }

    private static String gets(int count) {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            requests.append(get(i));
        }
        return requests.toString();
    }

    private static String get(int number) {
        return "GET /" + number + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }
}

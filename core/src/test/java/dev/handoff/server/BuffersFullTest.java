package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients may make the server hold: {@link ServerLimits#bufferedBytes}, half and half. */
class BuffersFullTest {
    private static final int BODY_BYTES = 100_000;

    /** A parser holds the body that was declared, once most of it has come, and a little more. */
    private static final int SLACK_BYTES = 4 * 1024;

    /** More than the kernel takes for a client that reads nothing. */
    private static final int LARGE_BYTES = 10_000_000;

    private static final int FEW = 5;

    private static final int SMALL_WINDOW_BYTES = 4096;

    private static final Duration RELIEF_DELAY = Duration.ofMillis(10);
    private static final Duration A_WHILE = Duration.ofSeconds(1);

    @Test
    void theUploadThatPassesTheLimitIsAnswered503() throws IOException {
        ServerLimits limits =
                ServerLimits.DEFAULT.withBufferedBytes(2 * (BODY_BYTES - SLACK_BYTES));
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            beginUpload(first);
            server.settleUntil(() -> server.listener.receivedBytes() > BODY_BYTES);
            beginUpload(second);

            RawResponse refused = second.readResponse();
            assertEquals("buffers_full", refused.header("handoff-error"));
            assertEquals("1", refused.header("retry-after"));
            first.send("x");
            assertEquals("/", first.readResponse().text());
        }
    }

    @Test
    void uploadsAtTheLimitAreServedAndGiveTheirMemoryBack() throws IOException {
        ServerLimits limits =
                ServerLimits.DEFAULT.withBufferedBytes(2 * (BODY_BYTES + SLACK_BYTES));
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            for (int i = 0; i < 3; i++) {
                beginUpload(first);
                beginUpload(second);
                server.settle();
                first.send("x");
                second.send("x");
                assertEquals("/", first.readResponse().text());
                assertEquals("/", second.readResponse().text());
            }
        }
    }

    @Test
    void aClientThatLeavesGivesItsMemoryBack() throws IOException {
        ServerLimits limits =
                ServerLimits.DEFAULT.withBufferedBytes(2 * (BODY_BYTES - SLACK_BYTES));
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits)) {
            for (int i = 0; i < 3; i++) {
                try (RawClient leaves = server.connect()) {
                    beginUpload(leaves);
                    server.settleUntil(() -> server.http.connections() == 1);
                }
                server.settleUntil(() -> server.http.connections() == 0);
            }
            try (RawClient stays = server.connect()) {
                beginUpload(stays);
                stays.send("x");
                assertEquals("/", stays.readResponse().text());
            }
        }
    }

    /** Each in one read, so that none is ever seen unfinished. */
    @Test
    void requestsThatComeWholeFindAnEndToo() throws IOException, InterruptedException {
        int half = 300_000;
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2L * half);
        HeldRequests held = new HeldRequests();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.start(held, limits)) {
            for (int i = 0; i < 6; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.post("/large", "x".repeat(60_000));
                server.settle();
            }
            RawResponse refused = clients.getLast().readResponse();
            assertEquals("buffers_full", refused.header("handoff-error"));
            assertEquals("1", refused.header("retry-after"));
            clients.getLast().expectEnd();
            held.take(5);

            // Small ones are served, until they have taken as much again.
            int small = 0;
            while (held.waiting() == small) {
                RawClient client = server.connect();
                clients.add(client);
                client.get("/small", "X: " + "y".repeat(6000));
                server.settle();
                small++;
                assertTrue(small < half / 12_000, "they find no end");
            }
            assertTrue(small > half / 2 / 16_000, small + " were served");
            assertEquals(503, clients.getLast().readResponse().status());
            server.listener.await("buffers full /large");
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void littleRequestsLeaveRoomForBareOnes() throws IOException, InterruptedException {
        int half = 300_000;
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2L * half);
        HeldRequests held = new HeldRequests();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.start(held, limits);
                RawClient bare = server.connect()) {
            int little = 0;
            while (held.waiting() == little) {
                RawClient client = server.connect();
                clients.add(client);
                client.post("/little", "x".repeat(15_000));
                server.settle();
                little++;
                assertTrue(little < 2 * half / 15_000, "they find no end");
            }
            assertTrue(little > half / 20_000, little + " were served");
            assertEquals("buffers_full", clients.getLast().readResponse().header("handoff-error"));
            for (int i = 0; i < little - 1; i++) {
                held.take();
            }
            bare.get("/bare", "Cookie: " + "y".repeat(1000));
            HeldRequests.answer(held.take());
            assertEquals("/bare", bare.readResponse().text());
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void requestsInHandCountAsWell() throws IOException, InterruptedException {
        ServerLimits limits =
                ServerLimits.DEFAULT.withBufferedBytes(2 * (BODY_BYTES - SLACK_BYTES));
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            beginUpload(first);
            first.send("x");
            Exchange inHand = held.take();
            beginUpload(second);
            assertEquals("buffers_full", second.readResponse().header("handoff-error"));

            HeldRequests.answer(inHand);
            assertEquals("/", first.readResponse().text());
            beginUpload(first);
            first.send("x");
            HeldRequests.answer(held.take());
            assertEquals("/", first.readResponse().text());
        }
    }

    @Test
    void aLoneUploadMayPassTheLimit() throws IOException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2);
        try (TestServer server = TestServer.start(TestServer.ECHO_TARGET, limits);
                RawClient client = server.connect()) {
            beginUpload(client);
            server.settle();
            client.send("x");
            assertEquals("/", client.readResponse().text());
        }
    }

    @Test
    void aSmallHeadInPiecesIsServedWhenRequestsAreFull() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(BODY_BYTES);
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, limits);
                RawClient greedy = server.connect();
                RawClient small = server.connect();
                RawClient large = server.connect()) {
            beginUpload(greedy);
            greedy.send("x").post("/second", "y");
            Exchange upload = held.take();
            large.send("GET / HTTP/1.1\r\nHost: a\r\nx: " + "x".repeat(8 * 1024));
            assertEquals("buffers_full", large.readResponse().header("handoff-error"));
            small.send("GET /small HTTP/1.1\r\nHost: a\r\nx: " + "x".repeat(1024));
            server.settle();
            small.send("\r\n\r\n");
            HeldRequests.answer(held.take());
            assertEquals("/small", small.readResponse().text());

            HeldRequests.answer(upload);
            assertEquals("/", greedy.readResponse().text());
            HeldRequests.answer(held.take());
            assertEquals("/second", greedy.readResponse().text());
        }
    }

    @Test
    void unfinishedHeadsLeaveRoomForLittleRequests() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * BODY_BYTES);
        HeldRequests held = new HeldRequests();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.start(held, limits);
                RawClient little = server.connect()) {
            for (int i = 0; i < 4; i++) {
                RawClient unfinished = server.connect();
                clients.add(unfinished);
                unfinished.send("GET / HTTP/1.1\r\nHost: a\r\nx: " + "x".repeat(30_000));
                int soFar = (i + 1) * 30_000;
                server.settleUntil(() -> server.listener.receivedBytes() > soFar);
            }
            little.get("/little");
            HeldRequests.answer(held.take());
            assertEquals("/little", little.readResponse().text());

            clients.getLast().send("\r\n\r\n");
            HeldRequests.answer(held.take());
            assertEquals("/", clients.getLast().readResponse().text());
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void whoeverMakesNoHeadwayIsClosedWhenResponsesTakeTooMuch()
            throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * LARGE_BYTES);
        try (TestServer server = TestServer.start(BuffersFullTest::answerWithSize, limits);
                RawClient stuck = new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
                RawClient late = new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
                RawClient small = server.connect()) {
            stuck.get("/" + (LARGE_BYTES + 1));
            server.listener.await("response /" + (LARGE_BYTES + 1) + " 200");
            server.advance(A_WHILE);
            late.get("/" + 2 * LARGE_BYTES);
            server.listener.await("response /" + 2 * LARGE_BYTES + " 200");
            server.advance(RELIEF_DELAY);

            server.listener.await("closed BUFFERS_FULL");
            small.get("/10");
            assertEquals(10, small.readResponse().body().sizeBytes());
            server.advance(RELIEF_DELAY);
            // More than the limit, but nobody else holds anything.
            assertEquals(2 * LARGE_BYTES, late.readResponse().body().sizeBytes());
        }
    }

    @Test
    void aResponseThatWasNotOfferedYetIsNotTheOneThatGoes()
            throws IOException, InterruptedException {
        int bytes = LARGE_BYTES / 2;
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(5L * bytes);
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, limits);
                RawClient stuck = new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
                RawClient second = new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
                RawClient third = new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
                RawClient fresh = server.connect()) {
            fresh.get("/");
            Exchange last = held.take();
            for (RawClient client : List.of(stuck, second, third)) {
                client.get("/");
                held.take().respond(textOf(bytes));
            }
            server.settle();
            EventLoop loop = server.loops.get(0);
            loop.execute(() -> {
                server.clock.advance(RELIEF_DELAY);
                loop.inNextTurn(() -> last.respond(textOf(3 * bytes)));
            });

            assertEquals(3 * bytes, fresh.readResponse().body().sizeBytes());
            server.listener.await("closed BUFFERS_FULL");
        }
    }

    @Test
    void responsesThatSocketsTakeAtOnceCloseNobody() throws IOException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * BODY_BYTES);
        try (TestServer server = TestServer.start(BuffersFullTest::answerWithSize, limits);
                RawClient one = server.connect();
                RawClient other = server.connect()) {
            for (int i = 0; i < 3; i++) {
                one.get("/" + BODY_BYTES);
                other.get("/" + BODY_BYTES);
                assertEquals(BODY_BYTES, one.readResponse().body().sizeBytes());
                assertEquals(BODY_BYTES, other.readResponse().body().sizeBytes());
                server.advance(RELIEF_DELAY);
            }
        }
    }

    @Test
    void severalResponsesOnOneConnectionAreNotExempt() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * LARGE_BYTES);
        HeldRequests held = new HeldRequests();
        Response large = Response.text(200, "x".repeat(LARGE_BYTES));
        try (TestServer server = TestServer.start(held, limits);
                RawClient greedy = server.connect()) {
            greedy.get("/slow").get("/1").get("/2");
            Exchange slow = held.take();
            held.take().respond(large);
            held.take().respond(large);
            server.settle();
            server.advance(RELIEF_DELAY);

            server.listener.await("closed BUFFERS_FULL");
            assertTrue(slow.isDone());
        }
    }

    /** Many small fields take twenty times what they have on the wire. */
    @Test
    void theFieldsOfAResponseThatWaitsCount() throws IOException, InterruptedException {
        Headers.Builder fields = new Headers.Builder();
        for (int i = 0; i < 1000; i++) {
            fields.add("a", "");
        }
        Response manyFields = Response.of(200, fields.build(), Body.EMPTY);
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/slow").get("/1");
            Exchange slow = held.take();
            held.take().respond(manyFields);
            server.settleUntil(() -> heldBytes(server) > 100_000);
            HeldRequests.answer(slow);
            assertEquals("/slow", client.readResponse().text());
            assertEquals(200, client.readResponse().status());
            server.settleUntil(() -> heldBytes(server) == 0);
        }
    }

    @Test
    void requestsThatAreAnsweredBehindASlowOneLeaveRoomForOthers()
            throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * 80_000);
        HeldRequests held = new HeldRequests();
        try (TestServer server = TestServer.start(held, limits);
                RawClient one = server.connect();
                RawClient another = server.connect();
                RawClient other = server.connect()) {
            List<Exchange> slow = new ArrayList<>();
            for (RawClient ahead : List.of(one, another)) {
                ahead.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(35));
                List<Exchange> requests = held.take(35);
                slow.add(requests.getFirst());
                requests.subList(1, 35).forEach(HeldRequests::answer);
            }
            server.settle();
            other.send("POST /other HTTP/1.1\r\nHost: a\r\nContent-Length: 16384\r\n\r\n");
            other.send("x".repeat(16_384));
            HeldRequests.answer(held.take());
            assertEquals("/other", other.readResponse().text());
            slow.forEach(HeldRequests::answer);
            for (RawClient ahead : List.of(one, another)) {
                for (int i = 0; i < 35; i++) {
                    assertEquals("/x", ahead.readResponse().text());
                }
            }
        }
    }

    @Test
    void aBufferCountsUntilItsLastByteIsTaken() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * LARGE_BYTES);
        try (TestServer server = TestServer.start(BuffersFullTest::answerWithSize, limits);
                RawClient one = new RawClient(server.http.port(), SMALL_WINDOW_BYTES);
                RawClient other = new RawClient(server.http.port(), SMALL_WINDOW_BYTES)) {
            for (RawClient client : List.of(one, other)) {
                client.get("/" + 2 * LARGE_BYTES);
                server.listener.await("response /" + 2 * LARGE_BYTES + " 200");
                // What the server is left with is less than half of the limit.
                assertEquals(LARGE_BYTES, client.read(LARGE_BYTES).length);
            }
            server.advance(RELIEF_DELAY);

            server.listener.await("closed BUFFERS_FULL");
        }
    }

    @Test
    void headsInHandCountAndAreNotReadAhead() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * BODY_BYTES);
        HeldRequests held = new HeldRequests();
        String manyFields = "GET /x HTTP/1.1\r\nHost: a\r\n" + "a:b\r\n".repeat(90) + "\r\n";
        try (TestServer server = TestServer.start(held, limits)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.send(manyFields.repeat(i == 0 ? 50 : FEW));
                server.settle();
            }
            server.settleUntil(() -> held.waiting() >= clients.size());
            // The first one may fill the half; of the others one request each is taken.
            assertTrue(held.waiting() < 50 + clients.size(), () -> held.waiting() + " taken");

            for (int i = 0; i < 50 + FEW * (clients.size() - 1); i++) {
                HeldRequests.answer(held.take());
            }
            for (RawClient client : clients) {
                for (int i = 0; i < (client == clients.getFirst() ? 50 : FEW); i++) {
                    assertEquals("/x", client.readResponse().text());
                }
                client.close();
            }
        }
    }

    @Test
    void whatComesBehindARequestInHandFindsAnEndToo() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * BODY_BYTES);
        HeldRequests held = new HeldRequests();
        String get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
        String more = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n";
        try (TestServer server = TestServer.start(held, limits)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.send(get + more + "x".repeat(50_000));
                server.settleUntil(() -> held.waiting() == clients.size());
                server.settle();
            }
            for (int i = 0; i < clients.size(); i++) {
                HeldRequests.answer(held.take());
            }
            for (RawClient client : clients) {
                assertEquals("/x", client.readResponse().text());
            }
            // Two fill the half; what the others had sent ahead had to go.
            for (RawClient client : clients.subList(2, 4)) {
                assertEquals("buffers_full", client.readResponse().header("handoff-error"));
                client.expectEnd();
            }
            for (RawClient client : clients.subList(0, 2)) {
                client.send("x".repeat(10_000));
            }
            server.settleUntil(() -> held.waiting() == 2);
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** Behind a request that takes long, as behind a stream of events. */
    @Test
    void whatIsSentAheadMakesRoomForOthers() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(4 * BODY_BYTES);
        HeldRequests held = new HeldRequests();
        String post = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
        try (TestServer server = TestServer.start(held, limits);
                RawClient other = server.connect()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 1; i < 5; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.send(post.repeat(60_000 / post.length()));
                int many = i;
                server.settleUntil(() -> held.waiting() == many);
            }
            server.settle();
            server.advance(A_WHILE);
            beginUpload(other);
            other.send("x");
            List<Exchange> first = held.take(clients.size());
            HeldRequests.answer(held.take());
            assertEquals("/", other.readResponse().text());
            server.listener.await("refused SENT_AHEAD");

            first.forEach(HeldRequests::answer);
            for (RawClient client : clients) {
                assertEquals("/x", client.readResponse().text());
            }
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void littleIsReadAtOnceWhileRequestsTakeMuch() throws IOException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(8 * BODY_BYTES);
        Handler neverReads =
                new Handler() {
                    @Override
                    public void handle(Exchange exchange) {}

                    @Override
                    public boolean takesContentAsItComes(Request head, Origin origin) {
                        return true;
                    }
                };
        String upload = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
        try (TestServer server = TestServer.start(neverReads, limits);
                RawClient first = server.connect();
                RawClient second = server.connect()) {
            first.send(upload + "x".repeat(2 * BODY_BYTES));
            server.settleUntil(() -> heldBytes(server) > BODY_BYTES);
            server.settle();
            long before = heldBytes(server);
            second.send(upload + "x".repeat(60_000));
            server.settleUntil(() -> heldBytes(server) > before);
            server.settle();
            assertTrue(heldBytes(server) - before < 40_000, "" + (heldBytes(server) - before));
        }
    }

    private static long heldBytes(TestServer server) {
        return server.loops.get(0).ask(() -> server.http.load(0).bufferedBytes()).join();
    }

    private static void answerWithSize(Exchange exchange) {
        int bytes = Integer.parseInt(exchange.request().target().substring(1));
        exchange.respond(Response.text(200, "x".repeat(bytes)));
    }

    private static Response textOf(int bytes) {
        return Response.text(200, "x".repeat(bytes));
    }

    /** All of a request but its last byte. */
    private static void beginUpload(RawClient client) throws IOException {
        client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(BODY_BYTES)
                        + "x".repeat(BODY_BYTES - 1));
    }
}

package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.ArrivingContent;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.ParserLimits;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose handler gets the content as it comes. */
class ArrivingContentTest {
    private static final String CHUNKED =
            "POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    private static final String EXPECTING =
            "POST /up HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";

    /** More than the kernel and the server hold of what a handler does not read. */
    private static final int MORE_THAN_IS_HELD = 16 * 1024 * 1024;

    private static final ServerLimits LARGE =
            ServerLimits.DEFAULT.withRequest(
                    new ParserLimits(8 * 1024, 32 * 1024, 100, MORE_THAN_IS_HELD));

    private static final ServerLimits LIMITED_TO_ONE = ServerLimits.DEFAULT.withConnections(1);

    /** A second of silence, and the time until somebody looks. */
    private static final Duration MAKES_ROOM_AFTER = Duration.ofMillis(1100);

    private final HeldRequests held = new HeldRequests();

    private final Handler handler =
            new Handler() {
                @Override
                public void handle(Exchange exchange) {
                    held.handle(exchange);
                }

                @Override
                public boolean takesContentAsItComes(Request head, Origin origin) {
                    return true;
                }
            };

    @Test
    void theRequestIsHandedOverBeforeItsContent() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(10) + "hello");
            Exchange exchange = held.take();
            Reader reader = new Reader(exchange);
            assertEquals("hello", reader.next(5));
            assertFalse(reader.content.isOver());

            client.send("world");
            assertEquals("world", reader.next(5));
            assertEquals("", reader.rest());
            assertTrue(reader.content.isReady());
            server.listener.await("content /up 10");
            HeldRequests.answer(exchange);
            assertEquals("/up", client.readResponse().text());
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void contentThatCameWithItsHeadIsWhole() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(5) + "hello");
            Exchange exchange = held.take();
            assertNull(exchange.request().body().arriving());
            assertEquals("hello", exchange.request().body().toUtf8());
        }
    }

    /**
     * A request that had to wait behind others, and whose handler reads as soon as it gets it. Its
     * content once began with its own head, so that the last of it was a request of its own.
     */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 50", "Transfer-Encoding: chunked"})
    void contentBehindRequestsThatWaitedIsReadFromItsBeginning(String framing) throws Exception {
        LinkedBlockingQueue<Reader> readers = new LinkedBlockingQueue<>();
        Handler readsAtOnce =
                new Handler() {
                    @Override
                    public void handle(Exchange exchange) {
                        if (exchange.request().target().equals("/at-once")) {
                            HeldRequests.answer(exchange);
                            return;
                        }
                        if (exchange.request().body().arriving() != null) {
                            Reader reader = new Reader(exchange);
                            reader.content.letBegin();
                            readers.add(reader);
                        }
                        held.handle(exchange);
                    }

                    @Override
                    public boolean takesContentAsItComes(Request head, Origin origin) {
                        return true;
                    }
                };
        String content = "x".repeat(15) + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
        assertEquals(50, content.length());
        boolean chunked = framing.contains("chunked");
        try (TestServer server = TestServer.start(readsAtOnce);
                RawClient client = server.connect()) {
            client.send(
                    "GET /waits HTTP/1.1\r\nHost: a\r\n\r\n"
                            + "POST /at-once HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
                            + "POST /up HTTP/1.1\r\nHost: a\r\n"
                            + framing
                            + "\r\n\r\n");
            HeldRequests.answer(held.take());
            assertEquals("/waits", client.readResponse().text());
            assertEquals("/at-once", client.readResponse().text());
            Exchange exchange = held.take();
            Reader reader = readers.remove();
            client.send(chunked ? "32\r\n" + content + "\r\n0\r\n\r\n" : content);
            assertEquals(content, reader.rest());
            HeldRequests.answer(exchange);
            assertEquals("/up", client.readResponse().text());
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void chunksLoseTheirFraming() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(CHUNKED + "3\r\none\r\n");
            Exchange exchange = held.take();
            Reader reader = new Reader(exchange);
            assertEquals("one", reader.next(3));
            client.send("3\r\ntwo\r\n0\r\n\r\n");
            assertEquals("two", reader.rest());
            HeldRequests.answer(exchange);
            assertEquals(200, client.readResponse().status());
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 64 * 1024, 1 << 20})
    void contentOfAnySizeArrivesAsItWasSent(int atOnce) throws Exception {
        byte[] sent = new byte[3_000_001];
        new Random(atOnce).nextBytes(sent);
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(sent.length));
            Exchange exchange = held.take();
            CompletableFuture<byte[]> read = new Reader(exchange, atOnce).inBackground();
            client.send(sent);
            assertArrayEquals(sent, read.get(2, TimeUnit.MINUTES));
        }
    }

    @Test
    void isNotReadFasterThanItsHandlerReads() throws Exception {
        byte[] sent = new byte[MORE_THAN_IS_HELD];
        new Random(1).nextBytes(sent);
        try (TestServer server = TestServer.start(handler, LARGE);
                RawClient client = server.connect()) {
            CompletableFuture<Void> sending = inBackground(() -> client.post("/up", sent));
            Exchange exchange = held.take();
            server.settleUntil(() -> bufferedBytes(server) >= ContentPipe.MOST_WAITING_BYTES);
            server.settle();
            assertTrue(bufferedBytes(server) < 2 * ContentPipe.MOST_WAITING_BYTES);
            assertFalse(sending.isDone());

            CompletableFuture<byte[]> read = new Reader(exchange).inBackground();
            assertArrayEquals(sent, read.get(2, TimeUnit.MINUTES));
            sending.get(60, TimeUnit.SECONDS);
            HeldRequests.answer(exchange);
            assertEquals(200, client.readResponse().status());
            server.settleUntil(() -> bufferedBytes(server) == 0);
        }
    }

    @Test
    void singleBytesCountWithTheMemoryThatTheyTake() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(CHUNKED);
            held.take();
            // Measured on Java 25, with the byte itself.
            int partBytes = 84;
            client.send("1\r\na\r\n".repeat(ContentPipe.MOST_WAITING_BYTES / partBytes));
            server.settleUntil(() -> bufferedBytes(server) >= ContentPipe.MOST_WAITING_BYTES);
        }
    }

    @Test
    void theClientIsToldToGoOnWhenTheHandlerReads() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(EXPECTING);
            Exchange exchange = held.take();
            server.settle();
            assertFalse(client.hasInput());

            Reader reader = new Reader(exchange);
            assertFalse(reader.content.isReady());
            assertEquals("HTTP/1.1 100 Continue\r\n", client.readHead().head());
            client.send("hello");
            assertEquals("hello", reader.rest());
            HeldRequests.answer(exchange);
            assertEquals("/up", client.readResponse().text());
        }
    }

    @Test
    void aClientThatIsRefusedNeedNotSendItsContent() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(EXPECTING);
            held.take().respond(Response.text(401, "no"));
            RawResponse response = client.readResponse();
            assertEquals(401, response.status());
            assertEquals("close", response.header("connection"));
            client.leave();
            server.listener.await("closed NOT_PERSISTENT");
        }
    }

    @Test
    void anEarlyResponseEndsTheConnection() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(1000) + "a beginning");
            Exchange exchange = held.take();
            HeldRequests.answer(exchange);
            RawResponse response = client.readResponse();
            assertEquals("/up", response.text());
            assertEquals("close", response.header("connection"));
            client.send("more that nobody reads");
            client.endOutput();
            client.expectEnd();
            server.listener.await("closed NOT_PERSISTENT");
            assertTrue(held.noneAbandoned());
        }
    }

    @Test
    void aResponseInPiecesMayBeginBeforeTheEnd() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(CHUNKED + "3\r\none\r\n");
            Exchange exchange = held.take();
            Reader reader = new Reader(exchange);
            ResponseStream echo = exchange.stream(ok(reader.next(3)), bytes -> {});
            assertEquals("close", client.readHead().header("connection"));
            expect(client, "3\r\none\r\n");

            client.send("3\r\ntwo\r\n");
            echo.write(Body.utf8(reader.next(3)));
            expect(client, "3\r\ntwo\r\n");
            client.send("0\r\n\r\n");
            assertEquals("", reader.rest());
            echo.end();
            assertEquals("0\r\n\r\n", client.readToEnd());
            server.listener.await("stream /up COMPLETE 6");
        }
    }

    @Test
    void aResponseInPiecesMayEndBeforeTheContent() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(CHUNKED + "3\r\none\r\n");
            ResponseStream stream = held.take().stream(ok("a"), bytes -> {});
            client.readHead();
            expect(client, "1\r\na\r\n");
            stream.end();
            assertEquals("0\r\n\r\n", client.readToEnd());
            server.listener.await("stream /up COMPLETE 1");
        }
    }

    @Test
    void theHandlerHearsThatItsClientLeft() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(10) + "hello");
            held.take();
            client.reset();
            assertEquals("/up CLIENT_GONE", held.takeAbandoned());
            server.listener.await("closed RESET");
            server.settleUntil(() -> bufferedBytes(server) == 0);
        }
    }

    @Test
    void aPartIsNeverTakenForTheWhole() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(10) + "hello");
            Reader reader = new Reader(held.take());
            assertEquals("hello", reader.next(5));
            client.endOutput();
            assertEquals("/up CLIENT_GONE", held.takeAbandoned());
            client.expectEnd();
            assertFalse(reader.content.isReady());
            assertFalse(reader.content.isOver());
            assertEquals(0, server.http.load(0).bufferedBytes());
        }
    }

    @Test
    void badFramingIsRefused() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(CHUNKED + "3\r\none\r\n");
            Exchange exchange = held.take();
            client.send("3\r\ntwo!\r\n");
            RawResponse response = client.readResponse();
            assertEquals(400, response.status());
            assertEquals("bad_chunk_end", response.header("handoff-error"));
            assertEquals("/up CONTENT_CUT", held.takeAbandoned());
            client.expectEnd();
            assertFalse(server.listener.told().contains("response /up 400"));
            HeldRequests.answer(exchange);
            server.listener.await("late /up");
        }
    }

    @Test
    void badFramingCutsAResponseInPieces() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(CHUNKED + "3\r\none\r\n");
            held.take().stream(ok("a"), bytes -> {});
            client.readHead();
            expect(client, "1\r\na\r\n");
            client.send("3\r\ntwo!\r\n");
            assertEquals("/up CLIENT_GONE", held.takeAbandoned());
            assertEquals("", client.readToEnd());
            server.listener.await("stream /up CLIENT_GONE 1");
        }
    }

    @Test
    void chunksThatAreTooMuchAreRefused() throws Exception {
        ServerLimits limits = ServerLimits.DEFAULT.withRequest(new ParserLimits(100, 1000, 10, 5));
        try (TestServer server = TestServer.start(handler, limits);
                RawClient client = server.connect()) {
            client.send(CHUNKED + "3\r\none\r\n");
            held.take();
            client.send("3\r\ntwo\r\n");
            assertEquals(413, client.readResponse().status());
            assertEquals("/up CONTENT_CUT", held.takeAbandoned());
        }
    }

    @Test
    void aClientThatSendsNothingIsRefused() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(10) + "hello");
            held.take();
            server.advance(ServerLimits.DEFAULT.bodyTimeout());
            assertEquals(408, client.readResponse().status());
            assertEquals("/up CONTENT_CUT", held.takeAbandoned());
            client.expectEnd();
        }
    }

    @Test
    void whoStopsInTheMiddleMakesRoomForOthers() throws Exception {
        try (TestServer server = TestServer.start(handler, LIMITED_TO_ONE);
                RawClient client = server.connect()) {
            client.send(head(10) + "hello");
            held.take();
            assertMakesRoom(server, client);
        }
    }

    @Test
    void whoWasToldToGoOnAndDoesNotMakesRoomForOthers() throws Exception {
        try (TestServer server = TestServer.start(handler, LIMITED_TO_ONE);
                RawClient client = server.connect()) {
            client.send(EXPECTING);
            Reader reader = new Reader(held.take());
            assertFalse(reader.content.isReady());
            assertEquals("HTTP/1.1 100 Continue\r\n", client.readHead().head());
            assertMakesRoom(server, client);
        }
    }

    private void assertMakesRoom(TestServer server, RawClient client) throws Exception {
        server.settle();
        try (RawClient next = server.connect()) {
            next.get("/next");
            server.listener.await("paused");
            server.advance(MAKES_ROOM_AFTER);
            HeldRequests.answer(held.take());
            assertEquals("/next", next.readResponse().text());
            assertEquals("request_evicted", client.readResponse().header("handoff-error"));
            assertEquals("/up CONTENT_CUT", held.takeAbandoned());
        }
    }

    /** A client may send more when it has seen what came of the rest. */
    @Test
    void whoHasGotAPartOfTheResponseMakesNoRoom() throws Exception {
        try (TestServer server = TestServer.start(handler, LIMITED_TO_ONE);
                RawClient client = server.connect()) {
            client.send(CHUNKED + "3\r\none\r\n");
            Exchange exchange = held.take();
            Reader reader = new Reader(exchange);
            ResponseStream echo = exchange.stream(ok(reader.next(3)), bytes -> {});
            client.readHead();
            expect(client, "3\r\none\r\n");
            server.settle();
            try (RawClient next = server.connect()) {
                next.get("/next");
                server.listener.await("paused");
                server.advance(MAKES_ROOM_AFTER);
                client.send("0\r\n\r\n");
                assertEquals("", reader.rest());
                echo.end();
                assertEquals("0\r\n\r\n", client.readToEnd());
                client.reset();
                HeldRequests.answer(held.take());
                assertEquals("/next", next.readResponse().text());
            }
        }
    }

    @Test
    void theTimeOfTheHandlerCountsFromTheEndOfTheContent() throws Exception {
        Duration time = Duration.ofSeconds(5);
        try (TestServer server =
                        TestServer.start(handler, ServerLimits.DEFAULT.withRequestTimeout(time));
                RawClient client = server.connect()) {
            client.send(head(10) + "hello");
            held.take();
            server.advance(time.multipliedBy(3));
            assertTrue(held.noneAbandoned());
            client.send("world");
            server.settle();
            server.advance(time.minusMillis(1));
            assertTrue(held.noneAbandoned());
            server.advance(Duration.ofMillis(1));
            assertEquals(504, client.readResponse().status());
            assertEquals("/up DEADLINE", held.takeAbandoned());
        }
    }

    @Test
    void aHandlerThatDoesNotReadHasNoMoreTime() throws Exception {
        ServerLimits limits = LARGE.withRequestTimeout(Duration.ofSeconds(5));
        try (TestServer server = TestServer.start(handler, limits);
                RawClient client = server.connect()) {
            CompletableFuture<Void> sending =
                    inBackground(() -> client.post("/up", new byte[MORE_THAN_IS_HELD]));
            held.take();
            server.settleUntil(() -> bufferedBytes(server) >= ContentPipe.MOST_WAITING_BYTES);
            server.advance(limits.requestTimeout());
            assertEquals(504, client.readResponse().status());
            assertEquals("/up DEADLINE", held.takeAbandoned());
            sending.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void aClientThatWaitsToBeToldToGoOnIsNotLate() throws Exception {
        ServerLimits limits = ServerLimits.DEFAULT.withRequestTimeout(Duration.ofSeconds(5));
        try (TestServer server = TestServer.start(handler, limits);
                RawClient client = server.connect()) {
            client.send(EXPECTING);
            held.take();
            server.advance(limits.requestTimeout());
            assertEquals(504, client.readResponse().status());
        }
    }

    @Test
    void waitsForTheRequestsBeforeIt() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/first").send(head(10) + "hello");
            Exchange first = held.take();
            server.settle();
            assertEquals(0, held.waiting());
            HeldRequests.answer(first);
            assertEquals("/first", client.readResponse().text());

            Exchange exchange = held.take();
            client.send("world").get("/behind");
            assertEquals("helloworld", new Reader(exchange).rest());
            server.settle();
            assertEquals(0, held.waiting());
            HeldRequests.answer(exchange);
            assertEquals("/up", client.readResponse().text());
            HeldRequests.answer(held.take());
            assertEquals("/behind", client.readResponse().text());
        }
    }

    @Test
    void mayBeCutBeforeItStarts() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.get("/first").send(CHUNKED + "3\r\none!\r\n");
            HeldRequests.answer(held.take());
            assertEquals("/first", client.readResponse().text());
            assertEquals(400, client.readResponse().status());
            client.expectEnd();
            assertEquals(0, held.waiting());
        }
    }

    @Test
    void theLastRequestOfAConnectionIsReadToItsEnd() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send("POST /up HTTP/1.0\r\nContent-Length: 10\r\n\r\nhello");
            Exchange exchange = held.take();
            client.send("world");
            assertEquals("helloworld", new Reader(exchange).rest());
            HeldRequests.answer(exchange);
            assertEquals("/up", client.readResponse().text());
            client.expectEnd();
        }
    }

    @Test
    void aServerThatDrainsWaitsForIt() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(10) + "hello");
            Exchange exchange = held.take();
            CompletableFuture<Void> drained = server.http.drain(Duration.ofMinutes(1));
            server.settle();
            client.send("world");
            assertEquals("helloworld", new Reader(exchange).rest());
            assertFalse(drained.isDone());
            HeldRequests.answer(exchange);
            assertEquals("close", client.readResponse().header("connection"));
            client.leave();
            drained.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void anotherHandlerMayBeginAgainWhileAllIsKept() throws Exception {
        try (TestServer server = TestServer.start(handler);
                RawClient client = server.connect()) {
            client.send(head(200_000) + "hello");
            Reader first = new Reader(held.take());
            assertEquals("hello", first.next(5));
            assertTrue(first.content.rewind());
            assertEquals("hello", first.next(5));

            CompletableFuture<Void> sending = inBackground(() -> client.send(new byte[199_995]));
            first.next(70_000);
            assertFalse(first.content.rewind());
            sending.get(60, TimeUnit.SECONDS);
        }
    }

    private static String head(int length) {
        return "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n";
    }

    private static Response ok(String content) {
        return Response.of(200, Headers.EMPTY, Body.utf8(content));
    }

    private String ask(RawClient client, String target) throws IOException, InterruptedException {
        client.get(target);
        HeldRequests.answer(held.take());
        return client.readResponse().text();
    }

    private static void expect(RawClient client, String bytes) throws IOException {
        assertEquals(bytes, new String(client.read(bytes.length()), StandardCharsets.US_ASCII));
    }

    private static long bufferedBytes(TestServer server) {
        return server.http.load(0).bufferedBytes();
    }

    private interface Sending {
        void run() throws IOException;
    }

    private static CompletableFuture<Void> inBackground(Sending sending) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        sending.run();
                    } catch (IOException cut) {
                        throw new IllegalStateException(cut);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    /** Reads on the thread that calls it, as a pool's loop does. */
    private static final class Reader {
        final ArrivingContent content;
        private final int atOnce;
        private final Semaphore ready = new Semaphore(0);

        Reader(Exchange exchange) {
            this(exchange, 64 * 1024);
        }

        Reader(Exchange exchange, int atOnce) {
            this.content = Objects.requireNonNull(exchange.request().body().arriving());
            this.atOnce = atOnce;
            content.whenReady(ready::release);
        }

        String next(int bytes) throws InterruptedException {
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            while (read.size() < bytes) {
                read(bytes - read.size(), read);
            }
            return read.toString(StandardCharsets.ISO_8859_1);
        }

        String rest() throws InterruptedException {
            return new String(all(), StandardCharsets.ISO_8859_1);
        }

        CompletableFuture<byte[]> inBackground() {
            CompletableFuture<byte[]> read = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            read.complete(all());
                        } catch (InterruptedException failure) {
                            read.completeExceptionally(failure);
                        }
                    });
            return read;
        }

        private byte[] all() throws InterruptedException {
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            while (!content.isOver()) {
                read(atOnce, read);
            }
            return read.toByteArray();
        }

        private void read(int most, ByteArrayOutputStream to) throws InterruptedException {
            if (!content.isReady()) {
                assertTrue(ready.tryAcquire(60, TimeUnit.SECONDS), "nothing came");
            }
            ByteBuffer polled = content.poll(most);
            byte[] bytes = new byte[polled.remaining()];
            polled.get(bytes);
            to.writeBytes(bytes);
        }
    }
}

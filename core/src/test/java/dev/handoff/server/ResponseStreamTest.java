package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Responses that come in pieces, as clients see them. */
class ResponseStreamTest {
    private static final Failure LOST = new Failure(502, "worker_lost", "It was lost.", 0);

    /** More than the kernel holds of what one side sent and the other has not read. */
    private static final int MORE_THAN_THE_KERNEL_HOLDS = 16 * 1024 * 1024;

    private final HeldRequests held = new HeldRequests();
    private final AtomicLong room = new AtomicLong();

    @Test
    void eachPieceLeavesAtOnceAsAChunk() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            ResponseStream stream = begin("one");
            RawResponse head = client.readHead();
            assertEquals("chunked", head.header("transfer-encoding"));
            assertEquals("", head.header("content-length"));
            expect(client, "3\r\none\r\n");

            stream.write(Body.EMPTY);
            stream.write(Body.utf8("0123456789abcdef"));
            expect(client, "10\r\n0123456789abcdef\r\n");
            server.settle();
            assertFalse(client.hasInput());

            stream.end();
            expect(client, "0\r\n\r\n");
            server.listener.await("begun /events 200");
            server.listener.await("stream /events COMPLETE 19");
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void theHeadLeavesBeforeThereIsContent() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            ResponseStream stream = begin("");
            assertEquals(200, client.readHead().status());
            stream.end();
            expect(client, "0\r\n\r\n");
        }
    }

    @Test
    void aLengthThatTheHandlerGaveTakesThePlaceOfChunks() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/file");
            ResponseStream stream = begin("con", "content-length", "7");
            RawResponse head = client.readHead();
            assertEquals("7", head.header("content-length"));
            assertEquals("", head.header("transfer-encoding"));
            stream.write(Body.utf8("tent"));
            stream.end();
            expect(client, "content");
            server.listener.await("stream /file COMPLETE 7");
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void toHttp10TheContentEndsWithTheConnection() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            client.send("GET /behind HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            Exchange old = held.take();
            ResponseStream stream = old.stream(head("con"), room::addAndGet);
            RawResponse head = client.readHead();
            assertEquals("close", head.header("connection"));
            assertEquals("", head.header("transfer-encoding"));
            stream.write(Body.utf8("tent"));
            stream.end();
            assertEquals("content", client.readToEnd());
            client.leave();
            server.listener.await("closed NOT_PERSISTENT");
        }
    }

    @Test
    void aLengthKeepsTheConnectionOfHttp10() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            begin("whole", "content-length", "5").end();
            assertEquals("keep-alive", client.readHead().header("connection"));
            expect(client, "whole");
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @ParameterizedTest
    @CsvSource({"HEAD, 200", "GET, 204", "GET, 205", "GET, 304"})
    void aResponseWithoutContentIsCompleteAtOnce(String method, int status)
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send(method + " /none HTTP/1.1\r\nHost: a\r\n\r\n");
            ResponseStream stream =
                    held.take().stream(
                            Response.of(status, Headers.EMPTY, Body.utf8("dropped")),
                            room::addAndGet);
            assertEquals(status, client.readHead().status());
            assertEquals("/none NO_CONTENT", held.takeAbandoned());
            stream.write(Body.utf8("late"));
            stream.end();
            server.listener.await("response /none " + status);
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void theLengthOfAHeadResponseIsTheHandlers() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("HEAD /none HTTP/1.1\r\nHost: a\r\n\r\n");
            begin("", "content-length", "5000000000");
            assertEquals("5000000000", client.readHead().header("content-length"));
        }
    }

    @Test
    void waitsBehindTheResponsesToEarlierRequests() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/first").get("/second");
            Exchange first = held.take();
            ResponseStream stream = begin("a");
            stream.write(Body.utf8("b"));
            server.settle();
            assertFalse(client.hasInput());

            HeldRequests.answer(first);
            assertEquals("/first", client.readResponse().text());
            client.readHead();
            expect(client, "1\r\na\r\n1\r\nb\r\n");
            stream.end();
            expect(client, "0\r\n\r\n");
        }
    }

    @Test
    void piecesThatWaitCountWithTheMemoryThatTheyTake() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/first").get("/second");
            Exchange first = held.take();
            ResponseStream stream = begin("");
            server.settle();
            long before = server.http.load(0).bufferedBytes();
            for (int i = 0; i < 1000; i++) {
                stream.write(Body.utf8("a"));
            }
            server.settleUntil(() -> server.http.load(0).bufferedBytes() >= before + 64_000);

            HeldRequests.answer(first);
            stream.end();
            assertEquals("/first", client.readResponse().text());
            client.readHead();
            expect(client, "1\r\na\r\n".repeat(1000) + "0\r\n\r\n");
            server.settleUntil(() -> server.http.load(0).bufferedBytes() == 0);
        }
    }

    @Test
    void fewOfOneConnectionAreUnderWayAtOnce() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            int most = ConnectionStreams.MOST_AT_ONCE;
            for (int i = 0; i < most + 2; i++) {
                client.get("/" + i);
            }
            List<Exchange> exchanges = held.take(most + 2);
            List<ResponseStream> waiting = new ArrayList<>();
            for (Exchange exchange : exchanges.subList(1, most + 2)) {
                waiting.add(exchange.stream(head("x"), room::addAndGet));
            }
            assertEquals("/" + (most + 1) + " NO_CONTENT", held.takeAbandoned());
            waiting.add(exchanges.getFirst().stream(head("first"), room::addAndGet));
            waiting.forEach(ResponseStream::end);

            client.readHead();
            expect(client, "5\r\nfirst\r\n0\r\n\r\n");
            for (int i = 0; i < most; i++) {
                client.readHead();
                expect(client, "1\r\nx\r\n0\r\n\r\n");
            }
            RawResponse refused = client.readResponse();
            assertEquals(429, refused.status());
            assertEquals("pipelined_streams", refused.header("handoff-error"));
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void theOneThatIsWrittenCountsToo() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            int most = ConnectionStreams.MOST_AT_ONCE;
            for (int i = 0; i < most + 1; i++) {
                client.get("/" + i);
            }
            List<Exchange> exchanges = held.take(most + 1);
            ResponseStream endless = exchanges.getFirst().stream(head("first"), room::addAndGet);
            client.readHead();
            for (Exchange exchange : exchanges.subList(1, most + 1)) {
                exchange.stream(head("x"), room::addAndGet);
            }
            assertEquals("/" + most + " NO_CONTENT", held.takeAbandoned());
            endless.write(Body.utf8("second"));
            expect(client, "5\r\nfirst\r\n6\r\nsecond\r\n");
        }
    }

    @Test
    void nothingStartsBehindIt() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            ResponseStream stream = begin("a");
            client.readHead();
            client.get("/behind");
            server.settle();
            assertEquals(0, held.waiting());

            stream.end();
            HeldRequests.answer(held.take());
            expect(client, "1\r\na\r\n0\r\n\r\n");
            assertEquals("/behind", client.readResponse().text());
        }
    }

    @Test
    void aByteTooManyCutsTheClientOff() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/file");
            ResponseStream stream = begin("con", "content-length", "6");
            client.readHead();
            stream.write(Body.utf8("tent"));
            assertEquals("con", client.readToEnd());
            assertEquals("/file BAD_RESPONSE", held.takeAbandoned());
            server.listener.await("bad response /file CONTENT_TOO_LONG");
            server.listener.await("stream /file BAD_LENGTH 3");
            server.listener.await("closed RESPONSE_CUT");
        }
    }

    @Test
    void aByteTooFewCutsTheClientOff() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/file");
            ResponseStream stream = begin("con", "content-length", "4");
            client.readHead();
            stream.end();
            assertEquals("con", client.readToEnd());
            assertEquals("/file BAD_RESPONSE", held.takeAbandoned());
            server.listener.await("bad response /file CONTENT_TOO_SHORT");
            server.listener.await("stream /file BAD_LENGTH 3");
        }
    }

    @Test
    void aWrongLengthIsA502WhileNothingHasLeft() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/first").get("/second");
            Exchange first = held.take();
            ResponseStream stream = begin("", "content-length", "4");
            stream.end();
            HeldRequests.answer(first);
            assertEquals(200, client.readResponse().status());
            assertEquals(502, client.readResponse().status());
            server.listener.await("response /second 502");
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void aHeadThatBreaksARuleIsA502() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/bad");
            ResponseStream stream = begin("x", "bad name", "v");
            assertEquals(502, client.readResponse().status());
            assertEquals("/bad BAD_RESPONSE", held.takeAbandoned());
            stream.write(Body.utf8("late"));
            stream.end();
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void aResponseThatBreaksOffIsNoWholeOne() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/half");
            ResponseStream stream = begin("a");
            client.readHead();
            stream.write(Body.utf8("b"));
            stream.fail(LOST, StreamEnd.FAILED);
            assertEquals("1\r\na\r\n1\r\nb\r\n", client.readToEnd());
            server.listener.await("stream /half FAILED 2");
            server.listener.await("closed RESPONSE_CUT");
        }
    }

    @Test
    void http10SeesAResetWhereTheEndOfTheConnectionWouldLookWhole()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("GET /half HTTP/1.0\r\n\r\n");
            ResponseStream stream = begin("a");
            client.readHead();
            expect(client, "a");
            stream.fail(LOST, StreamEnd.FAILED);
            client.expectReset();
        }
    }

    @Test
    void http10SeesAResetWhenTheServerStops() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.send("GET /half HTTP/1.0\r\n\r\n");
            begin("a");
            client.readHead();
            expect(client, "a");
            server.http.stop();
            client.expectReset();
        }
    }

    @Test
    void http10SeesAResetWhenItTakesNothingForTooLong() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(1 << 30);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = new RawClient(server.http.port(), 4096)) {
            client.send("GET /large HTTP/1.0\r\n\r\n");
            ResponseStream stream = begin("");
            stream.write(Body.of(new byte[MORE_THAN_THE_KERNEL_HOLDS]));
            stream.end();
            client.readHead();
            awaitWriteTimeout(server);
            client.expectReset();
        }
    }

    @Test
    void aResponseThatFailsBeforeItsHeadLeavesIsAnError() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/first").get("/second");
            Exchange first = held.take();
            ResponseStream stream = begin("a");
            stream.fail(LOST, StreamEnd.FAILED);
            HeldRequests.answer(first);
            assertEquals(200, client.readResponse().status());
            assertEquals("worker_lost", client.readResponse().header("handoff-error"));
            assertEquals("/next", ask(client, "/next"));
        }
    }

    @Test
    void breaksOffWhenNoPieceComes() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            ResponseStream stream = begin("a");
            client.readHead();
            server.advance(Duration.ofSeconds(299));
            stream.write(Body.utf8("b"));
            server.advance(Duration.ofSeconds(299));
            stream.write(Body.EMPTY);
            server.settle();
            assertTrue(held.noneAbandoned());

            server.advance(Duration.ofSeconds(1));
            assertEquals("/events STREAM_IDLE", held.takeAbandoned());
            assertEquals("1\r\na\r\n1\r\nb\r\n", client.readToEnd());
            server.listener.await("stream /events IDLE 2");
        }
    }

    @Test
    void isNotIdleWhileTheClientTakesNothing() throws IOException, InterruptedException {
        ServerLimits limits =
                ServerLimits.DEFAULT
                        .withStreamIdleTimeout(Duration.ofSeconds(5))
                        .withWriteTimeout(Duration.ofSeconds(60))
                        .withBufferedBytes(1 << 30);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = new RawClient(server.http.port(), 4096)) {
            client.get("/large");
            ResponseStream stream = begin("");
            stream.write(Body.of(new byte[MORE_THAN_THE_KERNEL_HOLDS]));
            server.advance(Duration.ofSeconds(6));
            server.advance(Duration.ofSeconds(6));
            assertTrue(held.noneAbandoned());

            awaitWriteTimeout(server);
            assertEquals("/large CLIENT_GONE", held.takeAbandoned());
        }
    }

    /** The kernel may take some more in between, which begins the time-out anew. */
    private static void awaitWriteTimeout(TestServer server) {
        server.settleUntil(() -> {
            server.advance(Duration.ofSeconds(60));
            return server.listener.told().contains("closed WRITE_TIMEOUT");
        });
    }

    @Test
    void theHandlerHearsOfTheRoomThatTheClientMakes() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/large");
            ResponseStream stream = begin("");
            client.readHead();
            server.advance(Duration.ofMillis(21));
            stream.write(Body.of(new byte[10_000]));
            server.settle();
            assertEquals(0, room.get());
            stream.write(Body.of(new byte[40_000]));
            client.read(50_000);
            server.settleUntil(() -> room.get() == 50_000);
        }
    }

    @Test
    void aFastClientGetsALargerWindow() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/large");
            ResponseStream stream = begin("");
            client.readHead();
            long given = takeMoreThanKernelsHold(server, client, stream);
            for (int window = ResponseStream.FIRST_ROOM_BYTES; window < 1 << 20; window *= 2) {
                given += takeWindow(server, client, stream, given, Math.min(window, 256 * 1024));
            }
        }
    }

    /** Until then a client that reads nothing looks as fast. */
    private long takeMoreThanKernelsHold(TestServer server, RawClient client, ResponseStream stream)
            throws IOException, InterruptedException {
        long given = 0;
        while (given <= RoomTold.KERNEL_BYTES - ResponseStream.FIRST_ROOM_BYTES) {
            given += takeWindow(server, client, stream, given, ResponseStream.FIRST_ROOM_BYTES);
        }
        return given;
    }

    private long takeWindow(
            TestServer server, RawClient client, ResponseStream stream, long given, int window)
            throws IOException, InterruptedException {
        assertEquals(window, ResponseStream.FIRST_ROOM_BYTES + room.get() - given);
        stream.write(Body.of(new byte[window]));
        client.read(window);
        server.settleUntil(() -> room.get() >= given + window);
        return window;
    }

    @Test
    void aSlowClientGetsNoLargerWindow() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/large");
            ResponseStream stream = begin("");
            client.readHead();
            long given = takeMoreThanKernelsHold(server, client, stream);
            for (int times = 0; times < 3; times++) {
                server.advance(Duration.ofMillis(21));
                given += takeWindow(server, client, stream, given, ResponseStream.FIRST_ROOM_BYTES);
            }
        }
    }

    @Test
    void noWindowGrowsWhileResponsesTakeMuchMemory() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(64 * 1024);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = server.connect()) {
            client.get("/large");
            ResponseStream stream = begin("");
            client.readHead();
            long given = takeMoreThanKernelsHold(server, client, stream);
            for (int times = 0; times < 3; times++) {
                given += takeWindow(server, client, stream, given, ResponseStream.FIRST_ROOM_BYTES);
            }
        }
    }

    @Test
    void theHandlerHearsNothingOfWhatTheClientLeaves() throws IOException, InterruptedException {
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(1 << 30);
        try (TestServer server = TestServer.start(held, limits);
                RawClient client = new RawClient(server.http.port(), 4096)) {
            client.get("/large");
            ResponseStream stream = begin("");
            stream.write(Body.of(new byte[MORE_THAN_THE_KERNEL_HOLDS]));
            server.settle();
            long first = room.get();
            assertTrue(first < MORE_THAN_THE_KERNEL_HOLDS, "it took " + first);
            client.readHead();
            client.read(MORE_THAN_THE_KERNEL_HOLDS);
            server.settleUntil(
                    () -> room.get() > MORE_THAN_THE_KERNEL_HOLDS - ResponseRoom.SMALL_BYTES * 2L);
        }
    }

    @Test
    void theHandlerHearsThatItsClientReset() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            ResponseStream stream = begin("a");
            client.readHead();
            client.reset();
            assertEquals("/events CLIENT_GONE", held.takeAbandoned());
            server.listener.await("stream /events CLIENT_GONE 1");
            stream.write(Body.utf8("late"));
            stream.end();
            stream.fail(LOST, StreamEnd.FAILED);
            server.settle();
        }
    }

    @Test
    void aClientThatClosedIsNoticedBetweenChunks() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            begin("a");
            client.readHead();
            expect(client, "1\r\na\r\n");
            client.leave();
            server.advance(Duration.ofMillis(100));
            assertTrue(held.noneAbandoned());
            server.advance(Duration.ofMillis(200));
            assertEquals("/events CLIENT_GONE", held.takeAbandoned());
        }
    }

    @Test
    void aClientThatEndedItsOutputGetsAllWithZerosInFrontOfASize()
            throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            client.endOutput();
            Exchange exchange = held.take();
            server.settle();
            ResponseStream stream = exchange.stream(head("a"), room::addAndGet);
            client.readHead();
            for (int i = 0; i < 10; i++) {
                server.advance(Duration.ofSeconds(5));
            }
            stream.write(Body.utf8("b"));
            stream.end();
            assertEquals("1\r\na\r\n00001\r\nb\r\n0\r\n\r\n", client.readToEnd());
            server.listener.await("stream /events COMPLETE 2");
        }
    }

    @Test
    void aServerThatStopsTellsTheHandler() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            begin("a");
            client.readHead();
            expect(client, "1\r\na\r\n");
            server.http.stop();
            assertEquals("/events SERVER_STOPPED", held.takeAbandoned());
            server.listener.await("stream /events SERVER_STOPPED 1");
            server.listener.await("closed STOPPED");
        }
    }

    @Test
    void aDrainLetsItEndAndClosesThen() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            ResponseStream stream = begin("a");
            client.readHead();
            CompletableFuture<Void> drained = server.http.drain(Duration.ofMinutes(1));
            server.settle();
            stream.write(Body.utf8("b"));
            stream.end();
            assertEquals("1\r\na\r\n1\r\nb\r\n0\r\n\r\n", client.readToEnd());
            server.listener.await("stream /events COMPLETE 2");
            client.leave();
            drained.join();
        }
    }

    @Test
    void aDrainCutsThoseThatGoOnOffOneAfterTheOther() throws IOException, InterruptedException {
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = TestServer.start(held)) {
            for (int i = 0; i < 40; i++) {
                clients.add(server.connect().get("/events"));
                begin("a");
            }
            CompletableFuture<Void> drained = server.http.drain(Duration.ofSeconds(30));
            server.advance(Duration.ofSeconds(25).minusNanos(1));
            assertEquals(40, server.http.connections());
            server.advance(Duration.ofMillis(2500));
            server.settleUntil(() -> server.http.connections() < 40);
            assertTrue(server.http.connections() > 0);
            server.advance(Duration.ofMillis(2501));
            server.settleUntil(() -> server.http.connections() == 0);
            drained.join();
            assertEquals("/events SERVER_STOPPED", held.takeAbandoned());
            server.listener.await("stream /events SERVER_STOPPED 1");
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aSecondResponseIsDropped() throws IOException, InterruptedException {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/twice");
            Exchange exchange = held.take();
            ResponseStream stream = exchange.stream(head("a"), room::addAndGet);
            exchange.respond(Response.text(200, "second"));
            exchange.stream(head("third"), room::addAndGet).end();
            client.readHead();
            expect(client, "1\r\na\r\n");
            server.listener.await("late /twice");
            server.listener.await("late /twice");
            stream.end();
            expect(client, "0\r\n\r\n");
        }
    }

    private ResponseStream begin(String first, String... field) throws InterruptedException {
        return held.take().stream(head(first, field), room::addAndGet);
    }

    private static Response head(String first, String... field) {
        Headers headers = field.length == 0 ? Headers.EMPTY : Headers.of(field[0], field[1]);
        return Response.of(200, headers, Body.utf8(first));
    }

    private String ask(RawClient client, String target) throws IOException, InterruptedException {
        client.get(target);
        HeldRequests.answer(held.take());
        return client.readResponse().text();
    }

    private static void expect(RawClient client, String text) throws IOException {
        byte[] came = client.read(text.length());
        assertEquals(text, new String(came, StandardCharsets.ISO_8859_1));
    }
}

package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.ParserLimits;
import dev.handoff.http.Response;
import dev.handoff.http.SpareArrays;
import dev.handoff.http.StoredContent;
import dev.handoff.loop.TurnedLoop;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose content is too large for memory. */
class SpoolTest {
    private static final int IN_MEMORY = 100_000;
    private static final int MOST_IN_FILES = 4_000_000;
    private static final int MOST_FILES = 5;
    private static final int MOST_CONTENT = 64 << 20;

    private static final int PIECE_BYTES = 10_000;
    private static final int MANY_SETTLES = 200;

    @TempDir Path directory;

    private final HeldRequests held = new HeldRequests();
    private Spool spool;

    @BeforeEach
    void open() throws IOException {
        spool = Spool.open(directory, IN_MEMORY, MOST_IN_FILES, MOST_FILES);
    }

    @Test
    void contentOfAnySizeIsReadAsItWasSent() throws IOException {
        try (TestServer server = serve(TestServer.ECHO_BODY);
                RawClient client = server.connect()) {
            for (int size : new int[] {1, IN_MEMORY, IN_MEMORY + 1, 1_000_000, 3_999_999}) {
                byte[] content = random(size);
                assertArrayEquals(content, post(client, content).body().toArray(), size + " bytes");
                assertArrayEquals(
                        content, postChunked(client, content).body().toArray(), size + " chunked");
            }
            server.settleUntil(() -> spool.files() == 0);
            assertEquals(0, spool.bytes());
        }
    }

    @Test
    void severalAtOnceAreNotMixedUp() throws IOException {
        int size = 700_000;
        try (TestServer server = serve(TestServer.ECHO_BODY);
                Clients clients = new Clients(server, MOST_FILES)) {
            for (int round = 0; round < 3; round++) {
                List<byte[]> contents = new ArrayList<>();
                for (int i = 0; i < MOST_FILES; i++) {
                    contents.add(random(size + round * MOST_FILES + i));
                    clients.get(i).send(head(contents.get(i).length));
                }
                for (int from = 0; from < size + 3 * MOST_FILES; from += 30_000) {
                    for (int i = 0; i < MOST_FILES; i++) {
                        byte[] content = contents.get(i);
                        int to = Math.min(content.length, from + 30_000);
                        clients.get(i).send(Arrays.copyOfRange(content, Math.min(from, to), to));
                    }
                }
                for (int i = 0; i < MOST_FILES; i++) {
                    assertArrayEquals(
                            contents.get(i), clients.get(i).readResponse().body().toArray());
                }
            }
        }
    }

    private static String head(int size) {
        return "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n";
    }

    private static final class Clients implements AutoCloseable {
        private final List<RawClient> all = new ArrayList<>();

        Clients(TestServer server, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                all.add(server.connect());
            }
        }

        RawClient get(int index) {
            return all.get(index);
        }

        @Override
        public void close() throws IOException {
            for (RawClient client : all) {
                client.close();
            }
        }
    }

    @Test
    void aHandlerThatHasReadItGivesItBackBeforeItsResponseEnds() throws Exception {
        try (TestServer server = serve(held);
                RawClient large = server.connect();
                RawClient small = server.connect()) {
            large.post("/content", random(1_000_000));
            Exchange inFile = held.take();
            small.post("/content", random(IN_MEMORY));
            Exchange inMemory = held.take();
            for (Exchange exchange : List.of(inFile, inMemory)) {
                exchange.stream(Response.text(200, "a"), bytes -> {});
                exchange.releaseRequest();
                exchange.releaseRequest();
            }
            server.settleUntil(() -> spool.files() == 0);
            server.settleUntil(() -> server.http.load(0).bufferedBytes() < 10_000);
            assertEquals(0, spool.bytes());
            assertEquals(0, inMemory.request().body().sizeBytes());
        }
        assertEquals(0, spool.files());
    }

    @Test
    void contentThatNobodyReadsMakesRoomForOthers() throws Exception {
        try (TestServer server = serve(held);
                RawClient events = server.connect();
                RawClient fast = server.connect()) {
            events.post("/events", random(2_900_000));
            Exchange unread = held.take();
            Body content = unread.request().body();
            unread.stream(Response.text(200, "a"), bytes -> {});
            events.readHead();
            server.advance(Duration.ofSeconds(10));
            fast.post("/content", random(450_000));
            HeldRequests.answer(held.take());
            assertEquals(200, fast.readResponse().status());
            server.settleUntil(() -> spool.files() == 0);
            assertThrows(UncheckedIOException.class, content::toArray);
            assertTrue(held.noneAbandoned());
        }
    }

    /** Here behind a stream, which may last for hours. */
    @Test
    void contentThatWaitsForAnotherResponseMakesRoomForOthers() throws Exception {
        try (TestServer server = serve(held);
                RawClient ahead = server.connect();
                RawClient fast = server.connect()) {
            ahead.get("/events");
            Exchange events = held.take();
            ResponseStream pieces = events.stream(Response.text(200, "a"), bytes -> {});
            ahead.readHead();
            ahead.post("/waits", random(2_900_000));
            server.settleUntil(() -> spool.bytes() == 2_900_000);
            server.advance(Duration.ofSeconds(10));
            fast.post("/content", random(450_000));
            HeldRequests.answer(held.take());
            assertEquals(200, fast.readResponse().status());
            server.settleUntil(() -> spool.files() == 0);
            pieces.end();
            String rest = "1\r\na\r\n0\r\n\r\n";
            assertEquals(rest, new String(ahead.read(rest.length()), StandardCharsets.ISO_8859_1));
            assertEquals("spool_full", ahead.readResponse().header("handoff-error"));
            assertTrue(held.noneAbandoned());
        }
    }

    @Test
    void slowOnesThatHoldLittleMakeRoomTogether() throws Exception {
        int files = 64 * 4;
        Spool many = Spool.open(directory, 1000, 1 << 30, files);
        List<RawClient> slow = new ArrayList<>();
        try (TestServer server =
                TestServer.start(ServerOptions.of(TestServer.ECHO_TARGET).withSpool(many))) {
            for (int i = 0; i < files; i++) {
                RawClient client = server.connect();
                slow.add(client);
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\n\r\n");
                client.send(random(70_000));
            }
            server.settleUntil(() -> many.files() == files);
            server.advance(Duration.ofSeconds(10));
            int served = 0;
            for (int i = 0; i < 20; i++) {
                try (RawClient fast = server.connect()) {
                    fast.post("/content", random(3000));
                    served += fast.readResponse().status() == 200 ? 1 : 0;
                }
            }
            assertEquals(20, served);
        } finally {
            for (RawClient client : slow) {
                client.close();
            }
        }
    }

    @Test
    void manyAtOnceNeedLittleMemoryForEach() throws Exception {
        ParserLimits request = new ParserLimits(8 * 1024, 32 * 1024, 100, MOST_CONTENT);
        Spool roomy = Spool.open(directory, Spool.DEFAULT_MEMORY_BYTES, 256 << 20, 100);
        ServerLimits limits =
                ServerLimits.DEFAULT.withRequest(request).withBufferedBytes(16L << 20);
        byte[] content = random(2_000_000);
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server =
                TestServer.start(
                        ServerOptions.of(TestServer.ECHO_TARGET)
                                .withLimits(limits)
                                .withSpool(roomy))) {
            for (int i = 0; i < 40; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.send("POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
            }
            int step = 50_000;
            for (int from = 0; from < content.length; from += step) {
                for (RawClient client : clients) {
                    client.send(Arrays.copyOfRange(content, from, from + step));
                }
            }
            for (RawClient client : clients) {
                assertEquals("/content", client.readResponse().text());
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void onlyLargeContentGoesToAFileWhichHasNoName() throws Exception {
        try (TestServer server = serve(held);
                RawClient small = server.connect();
                RawClient large = server.connect()) {
            small.post("/content", random(IN_MEMORY));
            Exchange first = held.take();
            assertEquals(0, spool.files());
            large.post("/content", random(IN_MEMORY + 1));
            Exchange second = held.take();
            assertEquals(1, spool.files());
            assertEquals(IN_MEMORY + 1, spool.bytes());
            try (Stream<Path> named = Files.list(directory)) {
                assertEquals(0, named.count());
            }
            HeldRequests.answer(first);
            HeldRequests.answer(second);
            assertEquals(200, small.readResponse().status());
            assertEquals(200, large.readResponse().status());
            server.settleUntil(() -> spool.files() == 0);
        }
    }

    @Test
    void aRequestIsHandledWhenItIsWrittenAndNotBefore() throws Exception {
        try (TestServer server = serve(held);
                RawClient client = server.connect()) {
            CountDownLatch disk = slowDisk();
            client.post("/content", random(500_000));
            client.post("/content", random(10));
            server.settle();
            assertEquals(0, held.waiting());
            disk.countDown();
            HeldRequests.answer(held.take());
            assertEquals(200, client.readResponse().status());
            HeldRequests.answer(held.take());
            assertEquals(200, client.readResponse().status());
        }
    }

    @Test
    void aClientThatIsFasterThanTheDiskWaits() throws Exception {
        int size = 3_900_000;
        try (TestServer server = serve(held);
                RawClient client = server.connect()) {
            CountDownLatch disk = slowDisk();
            AtomicLong sent = new AtomicLong();
            Thread sender = Thread.ofVirtual().start(() -> sendUnchecked(client, size, sent));
            long most = Spool.MOST_UNWRITTEN_BYTES + 192 * 1024;
            awaitServersPause(server, sent);
            assertTrue(buffered(server) <= most, "held " + buffered(server));
            server.advance(ServerLimits.DEFAULT.bodyTimeout().multipliedBy(2));
            disk.countDown();
            server.settleUntil(() -> held.waiting() > 0);
            sender.join();
            assertEquals(size, held.take().request().body().sizeBytes());
        }
    }

    @Test
    void whatNobodyWantsAnyMoreIsFreeWhileTheDiskStands() throws Exception {
        try (TurnedLoop turned = new TurnedLoop()) {
            BufferBudget budget = new BufferBudget(64 << 20, new ResponseRoom(64 << 20));
            SpooledContent content = new SpooledContent(spool, budget, turned.loop, () -> {});
            CountDownLatch disk = slowDisk();
            byte[] bytes = content.room();
            content.add(bytes, bytes.length);
            content.add(new byte[10], 10);
            assertEquals(bytes.length + 10, content.unstoredBytes());
            content.discard();
            assertEquals(0, content.unstoredBytes());
            assertSame(bytes, spool.room(), "the next may have the array");
            disk.countDown();
        }
    }

    @Test
    void whileTheDiskStandsContentHasOnePlaceInItsQueueAndNoneOnceItIsUnwanted() throws Exception {
        try (TurnedLoop turned = new TurnedLoop()) {
            BufferBudget budget = new BufferBudget(64 << 20, new ResponseRoom(64 << 20));
            SpooledContent begun = new SpooledContent(spool, budget, turned.loop, () -> {});
            begun.add(new byte[10], 10);
            awaitWrites();
            CountDownLatch disk = slowDisk();
            for (int i = 0; i < 3; i++) {
                SpooledContent content = new SpooledContent(spool, budget, turned.loop, () -> {});
                for (int piece = 0; piece < 10; piece++) {
                    content.add(new byte[10], 10);
                    begun.add(new byte[10], 10);
                }
                assertEquals(2, spool.waitingTasks());
                content.discard();
                assertEquals(1, spool.waitingTasks());
            }
            begun.discard();
            assertEquals(1, spool.waitingTasks(), "its file is to be given back");
            disk.countDown();
            awaitWrites();
            assertEquals(0, spool.files());
            assertEquals(0, spool.bytes());
        }
    }

    @Test
    void theTimeOfASlowDiskIsNotItsClients() throws Exception {
        int size = Spool.MOST_UNWRITTEN_BYTES + 300_000;
        byte[] content = random(size);
        // What is in the kernel when the server stops reading is no headway at that rate.
        ServerLimits limits = limits().withMinBodyRate(1024 * 1024);
        Duration most = limits.bodyTimeout().multipliedBy(9).dividedBy(10);
        try (TestServer server = serve(held, limits);
                RawClient client = server.connect()) {
            CountDownLatch disk = slowDisk();
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n");
            client.send(Arrays.copyOf(content, size - 1));
            server.settleUntil(() -> buffered(server) >= Spool.MOST_UNWRITTEN_BYTES);
            server.advance(most);
            disk.countDown();
            server.settleUntil(() -> spool.bytes() >= size - 64 * 1024);
            server.advance(most);
            client.send(Arrays.copyOfRange(content, size - 1, size));
            HeldRequests.answer(held.take());
            assertEquals(200, client.readResponse().status());
        }
    }

    /** Nor do others wait for the disk that need not. */
    @ParameterizedTest
    @ValueSource(ints = {60_000, 90_000})
    void uploadsThatWaitForASlowDiskGiveWayToOthers(int size) throws Exception {
        int most = 2_000_000;
        Handler answered = HeldRequests::answer;
        try (TestServer server = serve(answered, limits().withBufferedBytes(most))) {
            CountDownLatch disk = slowDisk();
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                clients.add(server.connect());
            }
            server.settleUntil(() -> server.http.connections() == clients.size());
            byte[] begun = random(90_000);
            for (RawClient client : clients) {
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n");
                client.send(begun.clone());
            }
            server.settle();
            for (RawClient client : clients) {
                client.send(begun.clone());
            }
            server.settleUntil(() -> buffered(server) > most / 2);
            server.advance(Duration.ofSeconds(2));
            server.settleUntil(spool::isBehind);
            RawClient other = server.connect();
            clients.add(other);
            assertEquals(200, other.post("/other", random(size)).readResponse().status());
            disk.countDown();
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aClientThatWaitsForTheDiskIsNotSilent() throws Exception {
        int size = Spool.MOST_UNWRITTEN_BYTES + 300_000;
        try (TestServer server = serve(held, limits().withConnections(1));
                RawClient client = server.connect()) {
            CountDownLatch disk = slowDisk();
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + size + "\r\n\r\n");
            client.send(random(size));
            server.settleUntil(() -> buffered(server) >= Spool.MOST_UNWRITTEN_BYTES);
            try (RawClient second = server.connect()) {
                second.get("/second");
                server.listener.await("paused");
                server.advance(Duration.ofSeconds(2));
                disk.countDown();
                HeldRequests.answer(held.take());
                assertEquals(200, client.readResponse().status());
            }
        }
    }

    @Test
    void whatFindsNoRoomIsRefused() throws Exception {
        try (TestServer server = serve(held);
                RawClient client = server.connect()) {
            client.send("POST /large HTTP/1.1\r\nHost: h\r\nContent-Length: 60000000\r\n\r\n");
            sendUntilRefused(client, 60_000_000);
            RawResponse response = client.readResponse();
            assertEquals(503, response.status());
            assertEquals("spool_full", response.header("handoff-error"));
            server.listener.await("spool full POST /large");
            server.settleUntil(() -> spool.bytes() == 0);
            assertEquals(0, held.waiting());
        }
    }

    @Test
    void theSlowestMakesRoomForOthers() throws Exception {
        assertTheSlowestMakesRoom();
    }

    @Test
    void theSlowestMakesRoomForOthersAlsoWhereTheFileSystemIsSmall() throws Exception {
        AtomicLong filled = new AtomicLong();
        Spool.Space small =
                new Spool.Space() {
                    @Override
                    public long totalBytes() {
                        return MOST_IN_FILES + MOST_IN_FILES / 15;
                    }

                    @Override
                    public long usableBytes() {
                        return totalBytes() - spool.bytes() - filled.get();
                    }
                };
        spool = Spool.open(directory, IN_MEMORY, 1L << 40, MOST_FILES, small);
        assertTheSlowestMakesRoom();
        // And where something else has filled it.
        filled.set(MOST_IN_FILES);
        try (TestServer server = serve(held);
                RawClient client = server.connect()) {
            client.send("POST /large HTTP/1.1\r\nHost: h\r\nContent-Length: 60000000\r\n\r\n");
            sendUntilRefused(client, 60_000_000);
            assertEquals("spool_full", client.readResponse().header("handoff-error"));
        }
        filled.set(0);
        assertTheSlowestMakesRoom();
    }

    private void assertTheSlowestMakesRoom() throws Exception {
        try (TestServer server = serve(held);
                RawClient slow = server.connect();
                RawClient slower = server.connect();
                RawClient fast = server.connect()) {
            for (RawClient client : List.of(slow, slower)) {
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5000000\r\n\r\n");
                client.send(random(client == slow ? 1_200_000 : 1_700_000));
            }
            server.settleUntil(() -> spool.bytes() > 2_700_000);
            server.advance(Duration.ofSeconds(10));
            fast.post("/content", random(1_500_000));
            HeldRequests.answer(held.take());
            assertEquals(200, fast.readResponse().status());
            assertEquals("spool_full", slower.readResponse().header("handoff-error"));
            assertFalse(slow.hasInput());
        }
    }

    @Test
    void uploadsDoNotTakeAllDescriptors() throws Exception {
        try (TestServer server = serve(held)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i <= MOST_FILES; i++) {
                RawClient client = server.connect();
                clients.add(client);
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
                client.send(random(IN_MEMORY + 1));
                int most = Math.min(i + 1, MOST_FILES);
                server.settleUntil(() -> spool.files() == most);
            }
            RawResponse refused = clients.getLast().readResponse();
            assertEquals("spool_full", refused.header("handoff-error"));
            for (RawClient client : clients) {
                client.close();
            }
            server.settleUntil(() -> spool.files() == 0);
            assertEquals(0, spool.bytes());
        }
    }

    @Test
    void whatIsWholeBeforeItIsRefusedKeepsItsConnection() throws Exception {
        try (TestServer server = serve(held);
                RawClient first = server.connect();
                RawClient client = server.connect()) {
            first.post("/content", random(3_500_000));
            Exchange takesAll = held.take();
            CountDownLatch disk = slowDisk();
            client.post("/content", random(900_000));
            server.settleUntil(() -> buffered(server) >= 900_000);
            disk.countDown();
            assertEquals("spool_full", client.readResponse().header("handoff-error"));
            HeldRequests.answer(takesAll);
            assertEquals(200, first.readResponse().status());
            server.settleUntil(() -> spool.bytes() == 0);
            client.post("/content", random(900_000));
            HeldRequests.answer(held.take());
            assertEquals(200, client.readResponse().status());
        }
    }

    @Test
    void nothingIsLeftOfARequestThatIsCutShortOrRefused() throws Exception {
        try (TestServer server = serve(held)) {
            RawClient left = server.connect();
            left.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
            left.send(random(500_000));
            server.settleUntil(() -> spool.files() == 1);
            left.reset();
            server.settleUntil(() -> spool.files() == 0);
            try (RawClient wrong = server.connect()) {
                wrong.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
                wrong.send("80000\r\n");
                wrong.send(random(0x80000));
                server.settleUntil(() -> spool.files() == 1);
                wrong.send("what");
                assertEquals(400, wrong.readResponse().status());
                server.settleUntil(() -> spool.files() == 0);
            }
            assertEquals(0, spool.bytes());
        }
    }

    @Test
    void contentIsThereAsLongAsSomebodyHoldsIt() throws Exception {
        try (TestServer server = serve(held)) {
            RawClient client = server.connect();
            client.post("/content", random(200_000));
            Body body = held.take().request().body();
            StoredContent content = body.stored();
            assertNotNull(content);
            assertTrue(content.retain());
            client.reset();
            server.listener.await("closed RESET");
            assertEquals(200_000, body.toArray().length);
            content.release();
            server.settleUntil(() -> spool.files() == 0);
            assertFalse(content.retain());
            assertThrows(UncheckedIOException.class, body::toArray);
        }
    }

    @Test
    void contentIsReadAsideWhileNobodyWaitsForTheDisk() throws Exception {
        byte[] sent = random(200_000);
        CountDownLatch disk = new CountDownLatch(1);
        try (TestServer server = serve(held)) {
            RawClient client = server.connect();
            client.post("/content", sent);
            StoredContent content = held.take().request().body().stored();
            assertNotNull(content);
            for (int i = 0; i < Spool.READERS; i++) {
                spool.executeRead(() -> await(disk));
            }
            CountedArrays arrays = new CountedArrays();
            CompletableFuture<ByteBuffer> read = readAside(content, 50_000, 60_000, arrays);
            client.reset();
            assertEquals("/content CLIENT_GONE", held.takeAbandoned());
            server.settle();
            awaitWrites();
            assertFalse(read.isDone());
            assertEquals(0, arrays.taken.get());
            assertEquals(1, spool.files());
            disk.countDown();
            assertEquals(ByteBuffer.wrap(sent, 50_000, 60_000), read.get(10, TimeUnit.SECONDS));
            assertEquals(1, arrays.taken.get());
            server.settleUntil(() -> spool.files() == 0);
        } finally {
            disk.countDown();
        }
    }

    @Test
    void whoReadsAsideHearsThatTheContentIsGone() throws Exception {
        try (TestServer server = serve(held)) {
            RawClient client = server.connect();
            client.post("/content", random(200_000));
            StoredContent content = held.take().request().body().stored();
            assertNotNull(content);
            client.reset();
            server.settleUntil(() -> spool.files() == 0);
            CountedArrays arrays = new CountedArrays();
            CompletableFuture<ByteBuffer> read = readAside(content, 0, 1, arrays);
            ExecutionException failure =
                    assertThrows(ExecutionException.class, () -> read.get(10, TimeUnit.SECONDS));
            assertInstanceOf(IOException.class, failure.getCause());
            assertEquals(arrays.taken.get(), arrays.given.get());
        }
    }

    @Test
    void whoReadsAsideHearsThatThereIsNoMemoryForIt() throws Exception {
        try (TestServer server = serve(held);
                RawClient client = server.connect()) {
            client.post("/content", random(200_000));
            Exchange exchange = held.take();
            StoredContent content = exchange.request().body().stored();
            assertNotNull(content);
            CompletableFuture<ByteBuffer> read = readAside(content, 0, 1, new NoArrays());
            ExecutionException failure =
                    assertThrows(ExecutionException.class, () -> read.get(10, TimeUnit.SECONDS));
            assertInstanceOf(IOException.class, failure.getCause());
            HeldRequests.answer(exchange);
            assertEquals(200, client.readResponse().status());
            server.settleUntil(() -> spool.files() == 0);
        }
    }

    /** The system may not let one start. */
    @Test
    void noReadNeedsANewThread() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        CompletableFuture<Thread> reader = new CompletableFuture<>();
        spool.executeRead(() -> reader.complete(Thread.currentThread()));
        assertTrue(before.contains(reader.get(10, TimeUnit.SECONDS)));
    }

    private static CompletableFuture<ByteBuffer> readAside(
            StoredContent content, long position, int bytes, SpareArrays arrays) {
        CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
        content.readAside(
                position,
                bytes,
                arrays,
                new StoredContent.Reader() {
                    @Override
                    public void read(byte[] array, int length) {
                        result.complete(ByteBuffer.wrap(array, 0, length));
                    }

                    @Override
                    public void failed(IOException why) {
                        result.completeExceptionally(why);
                    }
                });
        return result;
    }

    private static final class NoArrays implements SpareArrays {
        @Override
        public byte[] take() {
            throw new OutOfMemoryError("no room");
        }

        @Override
        public void giveBack(byte[] array) {
            throw new AssertionError("none was taken");
        }
    }

    private static final class CountedArrays implements SpareArrays {
        private final AtomicInteger taken = new AtomicInteger();
        private final AtomicInteger given = new AtomicInteger();

        @Override
        public byte[] take() {
            taken.incrementAndGet();
            return NONE.take();
        }

        @Override
        public void giveBack(byte[] array) {
            given.incrementAndGet();
        }
    }

    @Test
    void aDirectoryThatCannotBeWrittenToIsToldAtOnce() {
        Path missing = directory.resolve("missing");
        assertThrows(
                IOException.class, () -> Spool.open(missing, IN_MEMORY, MOST_IN_FILES, MOST_FILES));
    }

    private TestServer serve(Handler handler) throws IOException {
        return serve(handler, limits());
    }

    private TestServer serve(Handler handler, ServerLimits limits) throws IOException {
        return TestServer.start(ServerOptions.of(handler).withLimits(limits).withSpool(spool));
    }

    private static ServerLimits limits() {
        ParserLimits request = new ParserLimits(8 * 1024, 32 * 1024, 100, MOST_CONTENT);
        return ServerLimits.DEFAULT.withRequest(request).withBufferedBytes(64 << 20);
    }

    /** The disk takes nothing until it is counted down. */
    private CountDownLatch slowDisk() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch disk = new CountDownLatch(1);
        spool.execute(() -> {
            begun.countDown();
            await(disk);
        });
        await(begun);
        return disk;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when all that was to be written, or given back, has been. */
    private void awaitWrites() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        spool.execute(done::countDown);
        assertTrue(done.await(10, TimeUnit.SECONDS));
    }

    private static long buffered(TestServer server) {
        return server.loops.get(0).ask(() -> server.http.load(0).bufferedBytes()).join();
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    /**
     * Waits until it is the server that stops, and not a client, or a kernel, that is late: for
     * many turns there is something that it does not read.
     */
    private static void awaitServersPause(TestServer server, AtomicLong sent) {
        AtomicInteger still = new AtomicInteger();
        server.settleUntil(() -> {
            still.set(isReadNoMore(server, sent) ? still.get() + 1 : 0);
            return still.get() >= MANY_SETTLES;
        });
    }

    private static boolean isReadNoMore(TestServer server, AtomicLong sent) {
        long sentBefore = sent.get();
        long receivedBefore = server.listener.receivedBytes();
        server.settle();
        return server.listener.receivedBytes() == receivedBefore && sentBefore > receivedBefore;
    }

    /**
     * @param sent counts what the kernel has taken
     */
    private static void sendUnchecked(RawClient client, int size, AtomicLong sent) {
        try {
            String head =
                    "POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: " + size + "\r\n\r\n";
            client.send(head);
            sent.addAndGet(head.length());
            byte[] content = random(size);
            for (int from = 0; from < size; from += PIECE_BYTES) {
                client.send(Arrays.copyOfRange(content, from, Math.min(size, from + PIECE_BYTES)));
                sent.addAndGet(Math.min(PIECE_BYTES, size - from));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void sendUntilRefused(RawClient client, int size) {
        try {
            byte[] part = random(100_000);
            for (int sent = 0; sent < size; sent += part.length) {
                client.send(part);
            }
        } catch (IOException refused) {
            assertNotNull(refused);
        }
    }

    private static RawResponse post(RawClient client, byte[] content) throws IOException {
        client.post("/content", content);
        return client.readResponse();
    }

    private static RawResponse postChunked(RawClient client, byte[] content) throws IOException {
        client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
        int at = 0;
        while (at < content.length) {
            int size = Math.min(70_001, content.length - at);
            client.send(Integer.toHexString(size) + "\r\n");
            client.send(Arrays.copyOfRange(content, at, at + size));
            client.send("\r\n".getBytes(StandardCharsets.US_ASCII));
            at += size;
        }
        client.send("0\r\n\r\n");
        return client.readResponse();
    }
}

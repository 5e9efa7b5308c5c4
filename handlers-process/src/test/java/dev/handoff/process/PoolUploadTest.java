package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.ParserLimits;
import dev.handoff.http.SpareArrays;
import dev.handoff.http.StoredContent;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.Spool;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import dev.handoff.testing.TestLoops;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Large requests on their way to workers, with the real server in front of the pool. */
final class PoolUploadTest {
    private static final int IN_MEMORY = 100_000;
    private static final int IN_ONE_FRAME = 200_000;
    private static final int PIECE = 64 * 1024;
    private static final long NO_LIMIT = Message.MAX_ID;

    @TempDir Path directory;

    private TestPool pool;
    private Spool spool;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
        spool = Spool.open(directory, IN_MEMORY, 256L << 20, 100);
        ParserLimits request = new ParserLimits(8 * 1024, 32 * 1024, 100, 64 << 20);
        server =
                HttpServer.start(
                        ServerOptions.of(pool.pool.handler())
                                .withLoops(pool.loops.all())
                                .withLimits(ServerLimits.DEFAULT.withRequest(request))
                                .withSpool(spool));
    }

    @AfterEach
    void stop() throws IOException {
        server.stop();
        pool.close();
    }

    @Test
    void whatIsTooLargeForAFrameComesInPieces() throws IOException {
        try (TestWorker worker = uploading(1, NO_LIMIT);
                RawClient client = connect()) {
            for (int size : new int[] {IN_ONE_FRAME + 1, 4 * PIECE + 7, 5_000_000}) {
                byte[] content = random(size);
                client.post("/content", content);
                Message.Request request = worker.request();
                assertTrue(request.more());
                assertEquals(size + "", request.headers().first("content-length"));
                assertArrayEquals(content, pieces(worker, request.id()));
                worker.answer(request, "ok");
                assertEquals("ok", client.readResponse().text());
            }
            assertNothingIsKept();
        }
    }

    @Test
    void whatFitsComesWholeBeItInAFileOrNot() throws IOException {
        try (TestWorker worker = uploading(1, NO_LIMIT);
                RawClient client = connect()) {
            for (int size : new int[] {1, IN_MEMORY, IN_MEMORY + 1, IN_ONE_FRAME}) {
                byte[] content = random(size);
                client.post("/content", content);
                Message.Request request = worker.request();
                assertFalse(request.more());
                assertArrayEquals(content, request.body().toArray());
                worker.answer(request, "ok");
                assertEquals(200, client.readResponse().status());
            }
            assertNothingIsKept();
        }
    }

    @Test
    void aWorkerThatSaysNothingGetsOneFrameOfAnySize() throws IOException {
        try (TestWorker worker = pool.join(2);
                RawClient client = connect();
                RawClient other = connect()) {
            byte[] content = random(20_000_000);
            client.post("/content", content);
            pool.await(snapshot -> snapshot.inFlight() == 1);
            other.get("/small");
            Message.Request large = worker.request();
            assertArrayEquals(content, large.body().toArray());
            worker.answer(worker.request(), "small");
            assertEquals("small", other.readResponse().text());
            worker.answer(large, "large");
            assertEquals("large", client.readResponse().text());
            assertNothingIsKept();
        }
    }

    @Test
    void aWorkerGetsNoMoreThanItGrants() throws IOException {
        try (TestWorker worker = uploading(1, 0);
                RawClient client = connect()) {
            byte[] content = random(300_000);
            client.post("/content", content);
            Message.Request request = worker.request();
            settle();
            assertFalse(worker.hasMessage());
            ByteArrayOutputStream came = new ByteArrayOutputStream();
            worker.send(new Message.Credit(request.id(), 1));
            came.write(piece(worker, request.id(), true));
            assertEquals(PIECE, came.size());
            worker.send(new Message.Credit(request.id(), PIECE - 1));
            settle();
            assertFalse(worker.hasMessage());
            worker.send(moreCreditThanALongTakes(request.id()));
            came.write(pieces(worker, request.id()));
            assertArrayEquals(content, came.toByteArray());
            worker.answer(request, "ok");
            assertEquals(200, client.readResponse().status());
        }
    }

    private static Message[] moreCreditThanALongTakes(long id) {
        long times = Long.MAX_VALUE / Message.MAX_ID + 2;
        return LongStream.range(0, times)
                .mapToObj(each -> new Message.Credit(id, Message.MAX_ID))
                .toArray(Message[]::new);
    }

    @Test
    void severalTakeTurnsAndSmallRequestsGoBeforeThem() throws IOException {
        try (TestWorker worker = uploading(3, 0);
                RawClient first = connect();
                RawClient second = connect();
                RawClient third = connect()) {
            first.post("/content", random(2_000_000));
            long firstId = worker.request().id();
            second.post("/content", random(2_000_000));
            long secondId = worker.request().id();
            worker.send(
                    new Message.Credit(firstId, NO_LIMIT), new Message.Credit(secondId, NO_LIMIT));
            Map<Long, Integer> counts = new HashMap<>();
            for (int i = 0; i < 20; i++) {
                counts.merge(worker.expect(Message.Data.class).id(), 1, Integer::sum);
            }
            assertEquals(Map.of(firstId, 10, secondId, 10), counts);
            third.get("/small");
            pool.await(snapshot -> snapshot.inFlight() == 3);
            int before = 0;
            Message message = worker.expect(Message.class);
            while (message instanceof Message.Data) {
                before++;
                message = worker.expect(Message.class);
            }
            // Those that the kernel has, and one.
            assertTrue(before < 10, before + " pieces came before it");
            worker.answer((Message.Request) message, "small");
            assertEquals("small", third.readResponse().text());
        }
    }

    @Test
    void theContentIsGivenBackWhenAllWasSentAndTheResponseHasBegun() throws IOException {
        try (TestWorker worker = uploading(2, NO_LIMIT);
                RawClient large = connect();
                RawClient small = connect()) {
            large.post("/events", random(1_000_000));
            Message.Request inPieces = worker.request();
            pieces(worker, inPieces.id());
            small.post("/events", random(IN_MEMORY));
            Message.Request whole = worker.request();
            assertEquals(1, spool.files());
            for (Message.Request request : List.of(inPieces, whole)) {
                worker.begin(request, "data: 1");
            }
            assertNothingIsKept();
            pool.await(snapshot -> bufferedBytes() < 10_000);
            assertEquals(200, large.readHead().status());
            assertEquals(200, small.readHead().status());
        }
    }

    @Test
    void theContentIsGivenBackWhenTheResponseBeganBeforeAllWasSent() throws IOException {
        try (TestWorker worker = uploading(1, PIECE);
                RawClient client = connect()) {
            client.post("/echo", random(500_000));
            Message.Request request = worker.request();
            worker.begin(request, "a");
            assertEquals(200, client.readHead().status());
            assertEquals(1, spool.files());
            worker.send(new Message.Credit(request.id(), NO_LIMIT));
            pieces(worker, request.id());
            assertNothingIsKept();
        }
    }

    @Test
    void aResponseMayComeBeforeTheLastPiece() throws IOException {
        try (TestWorker worker = uploading(1, PIECE);
                RawClient client = connect()) {
            client.post("/content", random(500_000));
            Message.Request request = worker.request();
            piece(worker, request.id(), true);
            worker.answer(request, "enough");
            assertEquals("enough", client.readResponse().text());
            worker.send(new Message.Credit(request.id(), NO_LIMIT));
            assertWorks(worker, client);
            assertNothingIsKept();
        }
    }

    @Test
    void noPieceFollowsACancel() throws IOException {
        try (TestWorker worker = uploading(1, PIECE)) {
            RawClient client = connect();
            client.post("/content", random(500_000));
            Message.Request request = worker.request();
            piece(worker, request.id(), true);
            client.reset();
            Message.Cancel cancel = worker.expect(Message.Cancel.class);
            assertEquals(CancelReason.CLIENT_GONE, cancel.reason());
            worker.send(new Message.Credit(request.id(), NO_LIMIT));
            assertNothingIsKept();
            worker.send(new Message.Failure(request.id(), "gone", false));
            try (RawClient next = connect()) {
                assertWorks(worker, next);
            }
        }
    }

    @Test
    void aClientThatLeavesInTheMiddleOfAFrameCostsNobodyElse() throws IOException {
        try (TestWorker worker = pool.join(2)) {
            RawClient client = connect();
            byte[] content = random(20_000_000);
            client.post("/content", content);
            pool.await(snapshot -> snapshot.inFlight() == 1);
            client.reset();
            Message.Request large = worker.request();
            assertArrayEquals(content, large.body().toArray());
            worker.expect(Message.Cancel.class);
            worker.send(new Message.Failure(large.id(), "gone", false));
            try (RawClient next = connect()) {
                assertWorks(worker, next);
            }
            assertNothingIsKept();
        }
    }

    @Test
    void aRequestThatIsGivenBackBeginsAgainWithItsFirstPiece() throws IOException {
        try (TestWorker first = uploading(1, PIECE);
                RawClient client = connect()) {
            byte[] content = random(500_000);
            client.post("/content", content);
            Message.Request request = first.request();
            piece(first, request.id(), true);
            try (TestWorker second = uploading(1, NO_LIMIT)) {
                first.send(new Message.Failure(request.id(), "leaving", true));
                Message.Request again = second.request();
                assertArrayEquals(content, pieces(second, again.id()));
                second.answer(again, "second");
                assertEquals("second", client.readResponse().text());
            }
            assertNothingIsKept();
        }
    }

    @Test
    void aWorkerThatDiesInTheMiddleOfAFrameHadNotGotIt() throws IOException {
        try (RawClient client = connect()) {
            byte[] content = random(20_000_000);
            TestWorker first = pool.join(1);
            client.post("/content", content);
            pool.await(snapshot -> snapshot.inFlight() == 1);
            first.die();
            try (TestWorker second = pool.join(1)) {
                Message.Request again = second.request();
                assertArrayEquals(content, again.body().toArray());
                second.answer(again, "second");
                assertEquals("second", client.readResponse().text());
            }
            assertNothingIsKept();
        }
    }

    @Test
    void aFrameThatEndsWorkersEndsTwoAtMost() throws IOException {
        try (RawClient client = connect()) {
            TestWorker first = pool.join(1);
            client.post("/content", random(20_000_000));
            pool.await(snapshot -> snapshot.inFlight() == 1);
            TestWorker second = pool.join(1);
            TestWorker third = pool.join(1);
            for (TestWorker worker : List.of(first, second)) {
                worker.die();
            }
            assertEquals("worker_lost", client.readResponse().header("handoff-error"));
            client.get("/next");
            third.answer(third.request(), "next");
            assertEquals("next", client.readResponse().text());
            third.close();
        }
    }

    @Test
    void anUploadLeavesEachTurnToOthersToo() throws IOException {
        int pieces = 200;
        try (TestWorker worker = uploading(1, NO_LIMIT);
                RawClient client = connect()) {
            long before = TestLoops.on(pool.loops.last(), () -> pool.loops.last().turn());
            client.post("/content", random(pieces * PIECE));
            Message.Request request = worker.request();
            pieces(worker, request.id());
            long turns = TestLoops.on(pool.loops.last(), () -> pool.loops.last().turn()) - before;
            assertTrue(turns >= pieces, turns + " turns");
            worker.answer(request, "ok");
            assertEquals(200, client.readResponse().status());
        }
    }

    @Test
    void contentThatCannotBeReadFailsItsRequestOnly() throws IOException {
        try (TestWorker worker = uploading(2, NO_LIMIT)) {
            TestExchange lost = pool.post("/lost", Body.stored(new BrokenContent(), 1_000_000));
            Message.Request request = worker.request();
            piece(worker, request.id(), true);
            worker.expect(Message.Cancel.class);
            pool.events.await(PoolEvent.ContentLost.class);
            lost.assertFailed(500, "content_lost");
            TestExchange next = pool.get("/next");
            worker.answer(worker.request(), "next");
            pool.loops.awaitIdle();
            next.assertResponse("next");
            worker.send(new Message.Failure(request.id(), "cut off", false));
        }
    }

    @Test
    void aFrameWhoseContentCannotBeReadCostsTheConnection() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange lost = pool.post("/lost", Body.stored(new BrokenContent(), 1_000_000));
            pool.events.await(PoolEvent.ContentLost.class);
            pool.loops.awaitIdle();
            lost.assertFailed(500, "content_lost");
            assertTrue(worker.remaining().isEmpty());
        }
    }

    @Test
    void aDiskThatDoesNotAnswerHoldsUpWhatItHasAlone() throws IOException {
        byte[] bytes = random(300_000);
        StalledContent content = new StalledContent(bytes);
        try (TestWorker worker = uploading(2, NO_LIMIT)) {
            TestExchange waits = pool.post("/waits", Body.stored(content, bytes.length));
            Message.Request request = worker.request();
            awaitRead(content);
            for (int i = 0; i < 3; i++) {
                TestExchange next = pool.get("/next");
                worker.answerNext("next");
                next.assertResponse("next");
            }
            content.letTheDiskAnswer();
            assertArrayEquals(bytes, pieces(worker, request.id()));
            worker.answer(request, "ok");
            waits.assertResponse("ok");
            pool.await(snapshot -> content.holders() == 0);
        } finally {
            content.letTheDiskAnswer();
        }
    }

    @Test
    void aDiskThatDoesNotAnswerHoldsUpOnlyTheWorkerWhoseFrameHasBegun() throws IOException {
        byte[] bytes = random(300_000);
        StalledContent content = new StalledContent(bytes);
        try (TestWorker first = pool.join(1)) {
            TestExchange waits = pool.post("/waits", Body.stored(content, bytes.length));
            awaitRead(content);
            try (TestWorker second = pool.join(1)) {
                for (int i = 0; i < 3; i++) {
                    TestExchange next = pool.get("/next");
                    second.answerNext("next");
                    next.assertResponse("next");
                }
            }
            content.letTheDiskAnswer();
            Message.Request request = first.request();
            assertArrayEquals(bytes, request.body().toArray());
            first.answer(request, "ok");
            waits.assertResponse("ok");
            pool.await(snapshot -> content.holders() == 0);
        } finally {
            content.letTheDiskAnswer();
        }
    }

    @Test
    void aClientMayLeaveWhileTheDiskDoesNotAnswer() throws IOException {
        StalledContent content = new StalledContent(random(300_000));
        try (TestWorker worker = uploading(1, NO_LIMIT)) {
            TestExchange left = pool.post("/left", Body.stored(content, 300_000));
            Message.Request request = worker.request();
            awaitRead(content);
            left.abandon(Abandonment.CLIENT_GONE);
            worker.expect(Message.Cancel.class);
            worker.send(new Message.Failure(request.id(), "gone", false));
            pool.await(snapshot -> snapshot.inFlight() == 0);
            assertEquals(1, content.holders());
            content.letTheDiskAnswer();
            pool.await(snapshot -> content.holders() == 0);
            TestExchange next = pool.get("/next");
            worker.answerNext("next");
            next.assertResponse("next");
            assertEquals(1, content.reads());
        } finally {
            content.letTheDiskAnswer();
        }
    }

    @Test
    void aWorkerMayDieWhileTheDiskDoesNotAnswer() throws IOException {
        byte[] bytes = random(300_000);
        StalledContent content = new StalledContent(bytes);
        try {
            TestWorker first = pool.join(1);
            TestExchange waits = pool.post("/waits", Body.stored(content, bytes.length));
            awaitRead(content);
            first.die();
            try (TestWorker second = pool.join(1)) {
                pool.await(snapshot -> content.reads() == 2);
                content.letTheDiskAnswer();
                Message.Request again = second.request();
                assertArrayEquals(bytes, again.body().toArray());
                second.answer(again, "second");
                waits.assertResponse("second");
                pool.await(snapshot -> content.holders() == 0);
            }
        } finally {
            content.letTheDiskAnswer();
        }
    }

    private void awaitRead(StalledContent content) {
        pool.await(snapshot -> content.reads() == 1);
    }

    @Test
    void aWorkerThatDiesBetweenPiecesLosesTheRequest() throws IOException {
        try (RawClient client = connect()) {
            TestWorker worker = uploading(1, PIECE);
            client.post("/content", random(500_000));
            piece(worker, worker.request().id(), true);
            worker.die();
            assertEquals("worker_lost", client.readResponse().header("handoff-error"));
            assertNothingIsKept();
        }
    }

    @Test
    void whatNoWorkerTakesIsRefused() throws IOException {
        try (TestWorker small = TestWorker.connect(pool.path);
                RawClient client = connect()) {
            small.send(TestWorker.uploading(1, List.of(), 1000, NO_LIMIT));
            small.expect(Message.Welcome.class);
            client.post("/content", random(1001));
            RawResponse response = client.readResponse();
            assertEquals(413, response.status());
            assertEquals("no_worker_takes_it", response.header("handoff-error"));
            client.post("/content", random(1000));
            small.answer(small.request(), "ok");
            assertEquals(200, client.readResponse().status());
            try (TestWorker large = pool.join(1)) {
                client.post("/content", random(200_000));
                large.answer(large.request(), "large");
                assertEquals("large", client.readResponse().text());
            }
            assertNothingIsKept();
        }
    }

    @Test
    void whatWaitsForAWorkerIsRefusedWhenNoneTakesIt() throws IOException {
        try (RawClient client = connect()) {
            client.post("/content", random(200_000));
            pool.await(snapshot -> snapshot.queued() == 1);
            try (TestWorker small = TestWorker.connect(pool.path)) {
                small.send(TestWorker.uploading(1, List.of(), 1000, NO_LIMIT));
                small.expect(Message.Welcome.class);
                assertEquals(413, client.readResponse().status());
            }
            assertNothingIsKept();
        }
    }

    @Test
    void whoWaitsForAWorkerThatTakesItHoldsUpNobodyElse() throws IOException {
        try (TestWorker any = uploading(1, NO_LIMIT);
                TestWorker small = TestWorker.connect(pool.path);
                RawClient first = connect();
                RawClient second = connect();
                RawClient third = connect();
                RawClient fourth = connect()) {
            small.send(TestWorker.uploading(1, List.of(), 1000, NO_LIMIT));
            small.expect(Message.Welcome.class);
            byte[] content = random(IN_ONE_FRAME + 1);
            first.post("/first", content);
            Message.Request held = any.request();
            pieces(any, held.id());
            second.post("/second", content);
            pool.await(snapshot -> snapshot.queued() == 1);

            third.get("/third");
            Message.Request atOnce = small.request();
            assertEquals("/third", atOnce.target());
            fourth.get("/fourth");
            pool.await(snapshot -> snapshot.queued() == 2);
            small.answer(atOnce, "third");
            small.answerNext("fourth");
            assertEquals("third", third.readResponse().text());
            assertEquals("fourth", fourth.readResponse().text());

            any.answer(held, "first");
            Message.Request waited = any.request();
            assertEquals("/second", waited.target());
            pieces(any, waited.id());
            any.answer(waited, "second");
            assertEquals("first", first.readResponse().text());
            assertEquals("second", second.readResponse().text());
            assertNothingIsKept();
        }
    }

    @Test
    void whoWaitsForAWorkerThatTakesItIsNotOvertakenThere() throws IOException {
        try (TestWorker any = uploading(1, NO_LIMIT);
                TestWorker small = TestWorker.connect(pool.path);
                RawClient first = connect();
                RawClient second = connect();
                RawClient third = connect();
                RawClient fourth = connect()) {
            small.send(TestWorker.uploading(1, List.of(), 1000, NO_LIMIT));
            small.expect(Message.Welcome.class);
            byte[] content = random(IN_ONE_FRAME + 1);
            first.post("/first", content);
            Message.Request held = any.request();
            pieces(any, held.id());
            second.get("/second");
            assertEquals("/second", small.request().target());
            third.post("/third", content);
            pool.await(snapshot -> snapshot.queued() == 1);
            pool.advance(Duration.ofMillis(1));
            fourth.get("/fourth");
            pool.await(snapshot -> snapshot.queued() == 2);

            any.answer(held, "first");
            assertEquals("/third", any.request().target());
        }
    }

    @Test
    void creditWithoutTheFeatureBreaksTheProtocol() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            worker.send(new Message.Credit(1, 1));
            assertEquals("unnamed_feature", worker.expect(Message.Refused.class).code());
        }
    }

    /** The first piece is all that the disk gives. */
    private static final class BrokenContent implements StoredContent {
        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public int unstoredBytes() {
            return 0;
        }

        @Override
        public void read(long position, ByteBuffer target) throws IOException {
            if (position > 0) {
                throw new IOException("Input/output error");
            }
            target.position(target.limit());
        }

        @Override
        public void readAside(long position, int bytes, SpareArrays arrays, Reader reader) {
            byte[] array = arrays.take();
            try {
                read(position, ByteBuffer.wrap(array, 0, bytes));
                reader.read(array, bytes);
            } catch (IOException why) {
                reader.failed(why);
            }
        }

        @Override
        public boolean retain() {
            return true;
        }

        @Override
        public void release() {}
    }

    private TestWorker uploading(int concurrency, long streamBytes) throws IOException {
        return TestWorker.joinUploading(pool.path, concurrency, IN_ONE_FRAME, streamBytes);
    }

    private static void assertWorks(TestWorker worker, RawClient client) throws IOException {
        client.get("/next");
        worker.answerNext("next");
        assertEquals("next", client.readResponse().text());
    }

    private RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    /** All that the core would do by itself is done. */
    private void settle() {
        for (int turn = 0; turn < 8; turn++) {
            for (int loop = 0; loop < pool.loops.all().count(); loop++) {
                TestLoops.awaitEndOfTurn(pool.loops.all().get(loop));
            }
        }
    }

    private long bufferedBytes() {
        long bytes = 0;
        for (int loop = 0; loop < pool.loops.all().count(); loop++) {
            bytes += server.load(loop).bufferedBytes();
        }
        return bytes;
    }

    private void assertNothingIsKept() {
        pool.await(snapshot -> spool.files() == 0);
        assertEquals(0, spool.bytes());
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static byte[] piece(TestWorker worker, long id, boolean more) throws IOException {
        Message.Data piece = worker.expect(Message.Data.class);
        assertEquals(id, piece.id());
        assertEquals(more, piece.more());
        assertTrue(piece.body().sizeBytes() <= PIECE);
        return piece.body().toArray();
    }

    private static byte[] pieces(TestWorker worker, long id) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Message.Data piece;
        do {
            piece = worker.expect(Message.Data.class);
            assertEquals(id, piece.id());
            all.write(piece.body().toArray());
        } while (piece.more());
        return all.toByteArray();
    }
}

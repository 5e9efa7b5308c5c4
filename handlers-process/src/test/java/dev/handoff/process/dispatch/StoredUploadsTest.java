package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.SpareArrays;
import dev.handoff.http.StoredContent;
import dev.handoff.loop.TurnedLoop;
import dev.handoff.process.TestExchange;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.RequestFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How content that is stored goes to a worker, while the disk answers and while it does not. */
final class StoredUploadsTest {
    private static final int PIECE = Upload.PIECE_BYTES;
    private static final long NO_LIMIT = Message.MAX_ID;

    private final Written written = new Written();
    private final Uploads uploads = new Uploads(written);
    private TurnedLoop turned;

    @BeforeEach
    void start() throws IOException {
        turned = new TurnedLoop();
    }

    @AfterEach
    void stop() {
        turned.close();
    }

    @Test
    void everyPieceComesInItsPlace() {
        SlowDisk disk = begin(1, 5 * PIECE + 7, NO_LIMIT);
        for (int piece = 1; piece <= 6; piece++) {
            turn();
            disk.answer();
            turn();
            assertEquals(piece, written.ids.size());
        }
        assertArrayEquals(disk.bytes, written.content.toByteArray());
        assertTrue(uploads.isEmpty());
        assertTrue(disk.reads.isEmpty());
    }

    @Test
    void whatIsNotReadHoldsUpNoMessage() {
        SlowDisk disk = begin(1, 2 * PIECE, NO_LIMIT);
        turn();
        assertEquals(1, disk.reads.size());
        uploads.beginMessages(request(2, Body.EMPTY), new WorkerWebSocket(0), NO_LIMIT);
        uploads.addMessage(2, true, Body.utf8("message"));
        turn();
        assertEquals(List.of(2L), written.ids);
        disk.answer();
        turn();
        assertEquals(List.of(2L, 1L), written.ids);
    }

    @Test
    void aWorkerHasOnePieceInMemoryHoweverManyUploadsItHas() {
        List<SlowDisk> disks = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            disks.add(begin(id, 2 * PIECE, NO_LIMIT));
        }
        for (int each = 0; each < 6; each++) {
            turn();
            assertEquals(1, disks.stream().mapToInt(disk -> disk.reads.size()).sum());
            disks.get(each % 3).answer();
            turn();
        }
        assertEquals(List.of(1L, 2L, 3L, 1L, 2L, 3L), written.ids);
    }

    @Test
    void nothingIsReadForAWorkerThatDoesNotRead() {
        written.unsent = PIECE;
        SlowDisk disk = begin(1, 2 * PIECE, NO_LIMIT);
        uploads.feed();
        assertTrue(disk.reads.isEmpty());
        assertFalse(uploads.isIdle());
        written.unsent = PIECE - 1;
        uploads.feed();
        assertEquals(1, disk.reads.size());
    }

    @Test
    void nothingIsReadWithoutCredit() {
        SlowDisk disk = begin(1, 3 * PIECE, 0);
        turn();
        assertTrue(disk.reads.isEmpty());
        uploads.grant(1, PIECE + 1);
        for (int piece = 0; piece < 2; piece++) {
            turn();
            disk.answer();
            turn();
        }
        assertEquals(2, written.ids.size());
        assertTrue(disk.reads.isEmpty());
    }

    @Test
    void whatIsStoppedWhileItIsReadMakesPlaceForTheNext() {
        SlowDisk first = begin(1, 2 * PIECE, NO_LIMIT);
        SlowDisk second = begin(2, PIECE, NO_LIMIT);
        turn();
        uploads.stop(1);
        turn();
        assertEquals(1, second.reads.size());
        first.answer();
        turn();
        assertTrue(written.ids.isEmpty());
        second.answer();
        turn();
        assertEquals(List.of(2L), written.ids);
        assertTrue(first.reads.isEmpty());
        assertTrue(uploads.isEmpty());
    }

    @Test
    void whatIsStoppedBeforeItsTurnMakesPlaceForTheNext() {
        SlowDisk first = begin(1, 2 * PIECE, NO_LIMIT);
        SlowDisk second = begin(2, PIECE, NO_LIMIT);
        turn();
        first.answer();
        uploads.stop(1);
        turn();
        second.answer();
        turn();
        assertEquals(List.of(2L), written.ids);
    }

    @Test
    void whatWaitsToBeReadIsStopped() {
        SlowDisk first = begin(1, PIECE, NO_LIMIT);
        SlowDisk second = begin(2, PIECE, NO_LIMIT);
        turn();
        uploads.stop(2);
        first.answer();
        turn();
        assertEquals(List.of(1L), written.ids);
        assertTrue(second.reads.isEmpty());
        assertTrue(uploads.isIdle());
    }

    @Test
    void whatCannotBeReadMakesPlaceForTheNext() {
        SlowDisk first = begin(1, 2 * PIECE, NO_LIMIT);
        SlowDisk second = begin(2, PIECE, NO_LIMIT);
        turn();
        first.fail();
        turn();
        assertEquals(List.of(1L), written.failed);
        second.answer();
        turn();
        assertEquals(List.of(2L), written.ids);
        assertTrue(uploads.isEmpty());
    }

    @Test
    void theRestOfAFrameComesInItsPlace() {
        SlowDisk disk = beginInFrame(1, 2 * PIECE + 7);
        for (int piece = 0; piece < 3; piece++) {
            assertTrue(uploads.isInFrame());
            turn();
            assertTrue(uploads.awaitsDisk());
            disk.answer();
            assertFalse(uploads.awaitsDisk());
            turn();
        }
        assertFalse(uploads.isInFrame());
        assertEquals(List.of(1L), written.whole);
        assertArrayEquals(disk.bytes, written.inFrame.toByteArray());
        assertEquals(0, disk.holders);
    }

    @Test
    void aFrameIsNotReadForAWorkerThatDoesNotRead() {
        written.unsent = PIECE;
        SlowDisk disk = beginInFrame(1, PIECE);
        uploads.feed();
        assertTrue(disk.reads.isEmpty());
    }

    @Test
    void aFrameWaitsForNoPieceThatIsBeingRead() {
        SlowDisk stuck = begin(1, PIECE, NO_LIMIT);
        turn();
        SlowDisk disk = beginInFrame(2, PIECE);
        turn();
        disk.answer();
        turn();
        assertEquals(List.of(2L), written.whole);
        stuck.answer();
        turn();
        assertEquals(List.of(1L), written.ids);
    }

    /** It would stay in memory as long as the disk takes, and no budget counts it. */
    @Test
    void whatAClientLeavesInTheMiddleOfAFrameIsDropped() {
        SlowDisk disk = beginInFrame(1, PIECE);
        uploads.beginMessages(request(2, Body.EMPTY), new WorkerWebSocket(0), NO_LIMIT);
        uploads.addMessage(2, true, Body.utf8("message"));
        turn();
        uploads.endMessages(2);
        disk.answer();
        turn();
        assertEquals(List.of(1L), written.whole);
        assertTrue(written.ids.isEmpty());
        assertTrue(uploads.isEmpty());
    }

    @Test
    void aFrameThatCannotBeReadFailsItsRequest() {
        SlowDisk disk = beginInFrame(1, PIECE);
        turn();
        disk.fail();
        turn();
        assertEquals(List.of(1L), written.failed);
        assertEquals(List.of(1L), written.brokenFrames);
        assertEquals(0, disk.holders);
    }

    /** The worker may have given it back, and another one may have it. */
    @Test
    void aFrameThatCannotBeReadFailsNoRequestThatNeedsItNoMore() {
        SlowDisk disk = beginInFrame(1, PIECE);
        turn();
        uploads.stop(1);
        disk.fail();
        turn();
        assertTrue(written.failed.isEmpty());
        assertEquals(List.of(1L), written.brokenFrames);
    }

    @Test
    void nothingIsWrittenBehindTheEndOfTheConnection() {
        SlowDisk piece = begin(1, PIECE, NO_LIMIT);
        turn();
        SlowDisk frame = beginInFrame(2, PIECE);
        turn();
        uploads.clear();
        assertEquals(0, frame.holders);
        piece.answer();
        frame.answer();
        uploads.feed();
        assertTrue(written.ids.isEmpty());
        assertEquals(0, written.inFrame.size());
        assertTrue(uploads.isIdle());
    }

    /** Does what is to be done soon. The worker reads what comes of that. */
    private void turn() {
        while (written.isFedSoon) {
            written.isFedSoon = false;
            uploads.feed();
            if (written.unsent > 0) {
                written.unsent = 0;
                written.isFedSoon |= !uploads.isIdle();
            }
        }
    }

    private SlowDisk begin(long id, int size, long creditBytes) {
        SlowDisk disk = new SlowDisk(size);
        Body content = Body.stored(disk, size);
        uploads.beginPieces(request(id, content), content, creditBytes);
        return disk;
    }

    private SlowDisk beginInFrame(long id, int size) {
        SlowDisk disk = new SlowDisk(size);
        uploads.beginInFrame(request(id, Body.stored(disk, size)), disk, size);
        return disk;
    }

    private WorkerRequest request(long id, Body content) {
        TestExchange exchange = TestExchange.of(turned.loop, "POST", "/", content);
        WorkerRequest request =
                new WorkerRequest(
                        "default",
                        new PoolLoad(),
                        exchange,
                        new RequestFrame.Encoder()
                                .encode(
                                        exchange.request(),
                                        "client",
                                        "http",
                                        null,
                                        "",
                                        null,
                                        List.of()),
                        false,
                        exchange.arrivedNanos(),
                        exchange.deadlineNanos());
        request.id = id;
        return request;
    }

    /** A disk that answers when the test wants it to. */
    private static final class SlowDisk implements StoredContent {
        private record Read(int position, int length, SpareArrays arrays, Reader reader) {}

        private final byte[] bytes;
        private final ArrayDeque<Read> reads = new ArrayDeque<>();
        private int holders;

        SlowDisk(int size) {
            bytes = new byte[size];
            new Random(size).nextBytes(bytes);
        }

        void answer() {
            Read next = reads.remove();
            byte[] array = next.arrays.take();
            System.arraycopy(bytes, next.position, array, 0, next.length);
            next.reader.read(array, next.length);
        }

        void fail() {
            reads.remove().reader.failed(new IOException("Input/output error"));
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public int unstoredBytes() {
            return 0;
        }

        @Override
        public void read(long position, ByteBuffer target) {
            throw new AssertionError("the loop waits for the disk");
        }

        @Override
        public void readAside(long position, int length, SpareArrays arrays, Reader reader) {
            reads.add(new Read((int) position, length, arrays, reader));
        }

        @Override
        public boolean retain() {
            holders++;
            return true;
        }

        @Override
        public void release() {
            holders--;
        }
    }

    /** What was written, all of which waits for the worker until the test says otherwise. */
    private static final class Written implements Uploads.Owner {
        /** Whose frames were written. */
        private final List<Long> ids = new ArrayList<>();

        /** What was in those with pieces. */
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();

        private final ByteArrayOutputStream inFrame = new ByteArrayOutputStream();

        /** The ids of those whose frame is whole. */
        private final List<Long> whole = new ArrayList<>();

        private final List<Long> failed = new ArrayList<>();
        private final List<Long> brokenFrames = new ArrayList<>();
        private long unsent;
        private boolean isFedSoon;

        @Override
        public void writeCopy(long requestId, ByteBuffer piece, boolean more) {
            ids.add(requestId);
            copy(piece, content);
        }

        @Override
        public void writeContent(ByteBuffer piece) {
            copy(piece, inFrame);
        }

        private void copy(ByteBuffer piece, ByteArrayOutputStream to) {
            byte[] copied = new byte[piece.remaining()];
            piece.get(copied);
            to.writeBytes(copied);
            unsent += copied.length;
        }

        @Override
        public void writePiece(long requestId, ByteBuffer piece, boolean more) {
            throw new AssertionError("its array is used again");
        }

        @Override
        public void writeMessage(Message.WebSocketMessage message, WorkerWebSocket from) {
            ids.add(message.id());
            unsent += message.body().sizeBytes();
        }

        @Override
        public long unsentBytes() {
            return unsent;
        }

        @Override
        public void frameIsWhole(@Nullable WorkerRequest request) {
            if (request != null) {
                whole.add(request.id);
            }
        }

        @Override
        public void uploadFailed(WorkerRequest request, IOException why) {
            failed.add(request.id);
        }

        @Override
        public void frameFailed(WorkerRequest begun, IOException why) {
            brokenFrames.add(begun.id);
        }

        @Override
        public void feedSoon() {
            isFedSoon = true;
        }

        @Override
        public void onLoop(Runnable action) {
            action.run();
        }
    }
}

package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.loop.TurnedLoop;
import dev.handoff.process.TestExchange;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.RequestFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How messages of WebSockets go to a worker that reads, and to one that does not. */
final class UploadsTest {
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
    void smallMessagesLeaveTogetherAndTakeTurns() {
        begin(1, Message.MAX_ID);
        begin(2, Message.MAX_ID);
        for (int i = 0; i < 3; i++) {
            uploads.addMessage(1, true, Body.utf8("a" + i));
            uploads.addMessage(2, true, Body.utf8("b" + i));
        }
        uploads.feed();
        assertEquals(List.of("a0", "b0", "a1", "b1", "a2", "b2"), written.texts);
        assertTrue(uploads.isIdle());
    }

    @Test
    void aShortMessageWaitsForNoLongOneOfEverybodyElse() {
        for (int id = 1; id <= 100; id++) {
            begin(id, Message.MAX_ID);
            uploads.addMessage(id, true, Body.utf8("x".repeat(30_000)));
        }
        begin(101, Message.MAX_ID);
        feedAndRead();
        uploads.addMessage(101, true, Body.utf8("short"));
        feedAndRead();
        assertTrue(written.texts.contains("short"), "it waits behind " + written.texts.size());
        assertTrue(written.texts.size() < 10, written.texts.size() + " of the others");
    }

    @Test
    void longMessagesAndShortOnesShareByBytes() {
        begin(1, Message.MAX_ID);
        begin(2, Message.MAX_ID);
        for (int i = 0; i < 10; i++) {
            uploads.addMessage(1, true, Body.utf8("x".repeat(30_000)));
        }
        for (int i = 0; i < 1000; i++) {
            uploads.addMessage(2, true, Body.utf8("y".repeat(4000)));
        }
        for (int i = 0; i < 4; i++) {
            feedAndRead();
        }
        long shortBytes = 4000 * written.count("y");
        long longBytes = 30_000 * written.count("x");
        assertTrue(longBytes >= 60_000, longBytes + " of long ones");
        assertTrue(Math.abs(longBytes - shortBytes) <= 64 * 1024, shortBytes + " of short ones");
    }

    /** Bytes are not all of the work: a worker takes some ten thousand messages in a second. */
    @Test
    void floodsOfTheShortestLeaveLongOnesTheirTurns() {
        begin(1, Message.MAX_ID);
        for (int i = 0; i < 100; i++) {
            uploads.addMessage(1, true, Body.utf8("x".repeat(60_000)));
        }
        for (int id = 2; id < 200; id++) {
            begin(id, Message.MAX_ID);
            for (int i = 0; i < 20; i++) {
                uploads.addMessage(id, true, Body.utf8("y"));
            }
        }
        while (written.count("y") < 1000) {
            feedAndRead();
        }
        assertTrue(written.count("x") >= 1000 / 32, written.count("x") + " long ones");
    }

    @Test
    void whoWasSilentHasNothingToMakeUpFor() {
        begin(1, Message.MAX_ID);
        begin(2, Message.MAX_ID);
        for (int i = 0; i < 20; i++) {
            uploads.addMessage(1, true, Body.utf8("x".repeat(30_000)));
        }
        for (int i = 0; i < 5; i++) {
            feedAndRead();
        }
        written.texts.clear();
        for (int i = 0; i < 1000; i++) {
            uploads.addMessage(2, true, Body.utf8("y".repeat(936)));
        }
        for (int i = 0; i < 2; i++) {
            feedAndRead();
        }
        assertTrue(written.texts.stream().anyMatch(text -> text.startsWith("x")));
    }

    @Test
    void noMoreLeavesThanAWorkerReads() {
        begin(1, Message.MAX_ID);
        Body large = Body.utf8("x".repeat(40_000));
        for (int i = 0; i < 3; i++) {
            uploads.addMessage(1, true, large);
        }
        uploads.feed();
        assertEquals(2, written.texts.size(), "one of them takes it above 64 KiB");
        uploads.feed();
        assertEquals(2, written.texts.size());
        written.unsent = 0;
        uploads.feed();
        assertEquals(3, written.texts.size());
    }

    @Test
    void atItsEndAWorkerThatReadsGetsWhatThereIsCreditFor() {
        begin(1, 2 * 65);
        for (String each : List.of("a", "b", "c")) {
            uploads.addMessage(1, true, Body.utf8(each));
        }
        uploads.endMessages(1);
        assertEquals(List.of("a", "b"), written.texts);
    }

    @Test
    void atItsEndAWorkerThatDoesNotReadGetsNoMore() {
        begin(1, Message.MAX_ID);
        for (int i = 0; i < 10; i++) {
            uploads.addMessage(1, true, Body.utf8("x".repeat(40_000)));
        }
        uploads.endMessages(1);
        assertEquals(2, written.texts.size());
        written.unsent = 0;
        uploads.feed();
        assertEquals(2, written.texts.size());
    }

    /** The worker gets what it may, and reads it. */
    private void feedAndRead() {
        uploads.feed();
        written.unsent = 0;
    }

    private void begin(long id, long creditBytes) {
        TestExchange exchange = TestExchange.of(turned.loop, "GET", "/", Body.EMPTY);
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
                        true,
                        exchange.arrivedNanos(),
                        exchange.deadlineNanos());
        request.id = id;
        uploads.beginMessages(request, new WorkerWebSocket(0), creditBytes);
    }

    /** What was written, all of which waits for the worker until the test says otherwise. */
    private static final class Written implements Uploads.Owner {
        private final List<String> texts = new ArrayList<>();
        private long unsent;

        private long count(String letter) {
            return texts.stream().filter(text -> text.startsWith(letter)).count();
        }

        @Override
        public void writeMessage(Message.WebSocketMessage message, WorkerWebSocket from) {
            texts.add(message.body().toUtf8());
            unsent += message.body().sizeBytes();
        }

        @Override
        public void writePiece(long requestId, ByteBuffer piece, boolean more) {
            throw new AssertionError("no message");
        }

        @Override
        public void writeCopy(long requestId, ByteBuffer piece, boolean more) {
            throw new AssertionError("no message");
        }

        @Override
        public long unsentBytes() {
            return unsent;
        }

        @Override
        public void writeContent(ByteBuffer piece) {
            throw new AssertionError("no message");
        }

        @Override
        public void frameIsWhole(@Nullable WorkerRequest request) {
            throw new AssertionError("no message");
        }

        @Override
        public void uploadFailed(WorkerRequest request, IOException why) {
            throw new AssertionError(why);
        }

        @Override
        public void frameFailed(WorkerRequest begun, IOException why) {
            throw new AssertionError(why);
        }

        @Override
        public void feedSoon() {}

        @Override
        public void onLoop(Runnable action) {
            action.run();
        }
    }
}

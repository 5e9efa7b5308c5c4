package dev.handoff.process.dispatch;

import static dev.handoff.process.dispatch.LargeResponses.LARGE_BYTES;
import static dev.handoff.process.dispatch.LargeResponses.LIMIT_BYTES;
import static dev.handoff.process.dispatch.LargeResponses.READ_BYTES;
import static dev.handoff.process.dispatch.LargeResponses.assertLarge;
import static dev.handoff.process.dispatch.LargeResponses.large;
import static dev.handoff.process.dispatch.LargeResponses.responseFrame;
import static dev.handoff.process.dispatch.LargeResponses.sendLarge;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ResponseRoom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a frame that has not come whole may take: room, and time. */
final class IncompleteFrameTest {
    private static final Duration TIMEOUT = IncompleteFrame.TIMEOUT;
    private static final Duration NANO = Duration.ofNanos(1);

    private LargeResponses responses;
    private ResponseRoom room;
    private ResponseRoom.Share share;
    private TestPool pool;

    @BeforeEach
    void start() throws IOException {
        responses = new LargeResponses();
        room = responses.room;
        share = responses.share;
        pool = responses.pool;
    }

    @AfterEach
    void stop() throws IOException {
        responses.close();
    }

    @Test
    void aLargeResponseWaitsForRoomWhileSmallOnesPass() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker one = pool.join(1);
                TestWorker other = pool.join(1)) {
            TestExchange first = pool.get("/0");
            TestExchange second = pool.get("/1");
            sendLarge(one);
            pool.loops.awaitIdle();
            other.answerNext("small");
            second.assertResponse("small");
            assertFalse(first.isAnswered());
            assertEquals(1, room.waiting());

            all.end();
            assertLarge(first);
            pool.loops.awaitIdle();
            assertEquals(0, room.bytes());
        }
    }

    /** Nobody has to ask for anything to send these. */
    @Test
    void headsThatStopKeepNoResponseOut() throws IOException {
        try (TestWorker one = pool.join(1);
                TestWorker other = pool.join(1);
                TestWorker asked = pool.join(1)) {
            one.sendBytes(Arrays.copyOf(paddedPong(LARGE_BYTES), READ_BYTES));
            other.sendBytes(Arrays.copyOf(paddedPong(LARGE_BYTES), READ_BYTES));
            pool.await(snapshot -> room.waiting() == 1 && room.bytes() > LARGE_BYTES);
            assertFalse(room.isWanted());
            TestExchange first = pool.get("/0");
            TestExchange second = pool.get("/1");
            Message.Request request = asked.request();
            asked.send(large(request));
            TestExchange answered = request.target().equals("/0") ? first : second;
            assertLarge(answered);
        }
    }

    @Test
    void aHeadThatStopsSoonGivesWayToOthers() throws IOException {
        try (TestWorker one = pool.join(1);
                TestWorker other = pool.join(1)) {
            stopInHead(one);
            other.sendBytes(paddedPong(LARGE_BYTES));
            pool.await(snapshot -> room.waiting() == 1);
            pool.advance(HeldBackTime.SLOW.minus(NANO));
            assertEquals(1, room.waiting());
            pool.advance(HeldBackTime.LOOK);
            assertEquals(
                    LeaveReason.FRAME_TIMEOUT, pool.events.await(PoolEvent.Left.class).reason());
            assertRefused(one);
            TestExchange exchange = pool.get("/");
            other.answerNext("hello");
            exchange.assertResponse("hello");
        }
    }

    @Test
    void aWorkerThatMayComputeHasLongerForItsHead() throws IOException {
        try (TestWorker one = pool.join(2);
                TestWorker other = pool.join(1)) {
            for (String path : List.of("/0", "/1", "/2")) {
                pool.get(path);
            }
            one.request();
            one.request();
            stopInHead(one);
            other.sendBytes(paddedPong(LARGE_BYTES));
            pool.await(snapshot -> room.waiting() == 1);
            pool.advance(HeldBackTime.MOST.minus(NANO));
            assertEquals(1, room.waiting());
            pool.advance(HeldBackTime.LOOK);
            assertRefused(one);
        }
    }

    private void stopInHead(TestWorker worker) throws IOException {
        worker.sendBytes(Arrays.copyOf(paddedPong(LARGE_BYTES), READ_BYTES));
        pool.await(snapshot -> room.bytes() > 0);
    }

    @Test
    void oneThatWaitsGetsNoOtherRequest() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker one = pool.join(2);
                TestWorker other = pool.join(2)) {
            pool.get("/0");
            responses.sendWithoutRoom(one);
            pool.get("/1");
            pool.get("/2");
            other.request();
            other.request();
            assertFalse(one.hasMessage());
            all.end();
        }
    }

    @Test
    void aFrameThatStopsIsRefusedWhenItsTimeHasPassed() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            byte[] frame = responseFrame(worker, LARGE_BYTES);
            worker.sendBytes(Arrays.copyOf(frame, frame.length - 1));
            pool.await(snapshot -> room.bytes() == LARGE_BYTES - 1);
            pool.loops.awaitIdle();
            pool.advance(TIMEOUT.minus(NANO));
            assertFalse(exchange.isAnswered());
            pool.advance(NANO);
            exchange.assertFailed(502, "worker_fault");
            assertEquals(
                    LeaveReason.FRAME_TIMEOUT, pool.events.await(PoolEvent.Left.class).reason());
            assertRefused(worker);
        }
    }

    /** As of an event loop: while one handler computes, the response of another stops half-way. */
    @Test
    void aFrameMayStopWhileItsWorkerHoldsOtherRequests() throws IOException {
        try (TestWorker worker = pool.join(2)) {
            TestExchange large = pool.get("/large");
            TestExchange computed = pool.get("/computes");
            byte[] frame = responseFrame(worker, LARGE_BYTES);
            Message.Request other = worker.request();
            worker.sendBytes(Arrays.copyOf(frame, frame.length - 1));
            pool.await(snapshot -> room.bytes() == LARGE_BYTES - 1);
            pool.advance(TIMEOUT);
            pool.advance(TIMEOUT);
            worker.sendBytes(Arrays.copyOfRange(frame, frame.length - 1, frame.length));
            worker.answer(other, "computed");
            assertLarge(large);
            assertEquals("computed", computed.response().body().toUtf8());
        }
    }

    @Test
    void aBodyThatMovesMayTakeItsTime() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            byte[] frame = responseFrame(worker, 4 * READ_BYTES);
            sendSlowly(worker, frame);
            assertEquals(4 * READ_BYTES, exchange.response().body().sizeBytes());
        }
    }

    @Test
    void theJsonOfAFrameHasTheTimeOnce() throws IOException {
        try (TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            byte[] json = paddedPong(4 * READ_BYTES);
            worker.sendBytes(Arrays.copyOf(json, READ_BYTES));
            pool.loops.awaitIdle();
            pool.advance(TIMEOUT.minus(NANO));
            worker.sendBytes(Arrays.copyOfRange(json, READ_BYTES, 3 * READ_BYTES));
            pool.loops.awaitIdle();
            pool.advance(NANO);
            exchange.assertFailed(502, "worker_fault");
        }
    }

    @Test
    void whoWaitsForRoomIsNeitherLateNorStuck() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange first = pool.get("/0");
            TestExchange second = pool.get("/1");
            responses.sendWithoutRoom(worker);
            worker.answerNext("behind the large one");
            second.abandon(Abandonment.CLIENT_GONE);
            for (int i = 0; i < 10; i++) {
                pool.advance(TIMEOUT);
            }
            assertEquals(List.of(), pool.events.heard(PoolEvent.Left.class));
            all.end();
            assertLarge(first);
            pool.events.await(PoolEvent.AnsweredLate.class);
            pool.advance(PoolLimits.DEFAULT.cancelGrace().multipliedBy(2));
            assertEquals(List.of(), pool.events.heard(PoolEvent.Left.class));
        }
    }

    /** What it says of the cancelled request may stand behind what the core did not read. */
    @Test
    void theTimeInWhichAWorkerIsNotReadIsNoGrace() throws IOException {
        Duration grace = PoolLimits.DEFAULT.cancelGrace();
        Duration heldBack = grace.minusSeconds(1);
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange large = pool.get("/large");
            TestExchange cancelled = pool.get("/cancelled");
            responses.sendWithoutRoom(worker);
            worker.request();
            cancelled.abandon(Abandonment.DEADLINE);
            worker.expect(Message.Cancel.class);
            pool.advance(heldBack);
            all.end();
            assertLarge(large);
            pool.loops.awaitIdle();
            pool.advance(grace.minus(heldBack));
            pool.advance(heldBack.minus(NANO));
            assertEquals(List.of(), pool.events.heard(PoolEvent.Left.class));
            pool.advance(NANO);
            assertEquals(LeaveReason.STUCK, pool.events.await(PoolEvent.Left.class).reason());
        }
    }

    @Test
    void whoWaitsForRoomIsNotAskedWhetherItLives() throws IOException {
        ResponseRoom.Claim all = share.claimForHead(LIMIT_BYTES, () -> {});
        try (TestWorker worker = pool.join(1)) {
            worker.sendBytes(paddedPong(LARGE_BYTES));
            pool.await(snapshot -> room.waiting() == 1);
            for (int i = 0; i < 10; i++) {
                pool.advance(Duration.ofSeconds(15));
            }
            assertFalse(worker.hasMessage());
            all.end();
            pool.await(snapshot -> room.bytes() == 0);
            TestExchange exchange = pool.get("/");
            worker.answerNext("alive");
            exchange.assertResponse("alive");
        }
    }

    @Test
    void aResponseThatNobodyWaitsForIsReadWithoutRoom() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange gone = pool.get("/0");
            Message.Request request = worker.request();
            worker.send(large(request));
            pool.await(snapshot -> room.waiting() == 1);
            gone.abandon(Abandonment.CLIENT_GONE);
            pool.events.await(PoolEvent.AnsweredLate.class);
            assertEquals(0, room.waiting());

            TestExchange another = pool.get("/1");
            worker.expect(Message.Cancel.class);
            Message.Request next = worker.request();
            another.abandon(Abandonment.CLIENT_GONE);
            worker.send(large(next), new Message.Response(9, large(next).response()));
            pool.events.await(PoolEvent.UnknownResponse.class);
            assertEquals(0, room.waiting());
            all.end();
        }
    }

    @Test
    void whoDiesWhileItWaitsGivesItsTurnBack() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        TestWorker worker = pool.join(1);
        TestExchange exchange = pool.get("/");
        byte[] frame = responseFrame(worker, LARGE_BYTES);
        worker.sendBytes(Arrays.copyOf(frame, frame.length - 1));
        pool.await(snapshot -> room.waiting() == 1);
        worker.die();
        all.end();
        exchange.assertFailed(502, "worker_lost");
    }

    @Test
    void halvesOfLargeResponsesNeverWaitForEachOther() throws IOException {
        int bytes = 400_000;
        try (TestWorker one = pool.join(1);
                TestWorker other = pool.join(1);
                TestWorker third = pool.join(1)) {
            List<TestWorker> workers = List.of(one, other, third);
            List<TestExchange> exchanges = List.of(pool.get("/0"), pool.get("/1"), pool.get("/2"));
            for (TestWorker worker : workers) {
                byte[] frame = responseFrame(worker, bytes);
                worker.sendBytes(Arrays.copyOf(frame, READ_BYTES));
                pool.loops.awaitIdle();
                worker.keep(Arrays.copyOfRange(frame, READ_BYTES, frame.length));
            }
            pool.await(snapshot -> room.bytes() > 3 * (READ_BYTES - 1000));
            for (TestWorker worker : workers) {
                worker.sendKept();
            }
            for (TestExchange exchange : exchanges) {
                assertEquals(bytes, exchange.response().body().sizeBytes());
            }
        }
    }

    private void sendSlowly(TestWorker worker, byte[] frame) throws IOException {
        for (int at = 0; at < frame.length; at += READ_BYTES) {
            worker.sendBytes(
                    Arrays.copyOfRange(frame, at, Math.min(frame.length, at + READ_BYTES)));
            pool.loops.awaitIdle();
            pool.advance(TIMEOUT.minus(NANO));
        }
    }

    private static void assertRefused(TestWorker worker) throws IOException {
        List<Message> said = worker.remaining();
        assertTrue(
                said.getLast() instanceof Message.Refused refused
                        && refused.code().equals("frame_timeout"),
                said::toString);
    }

    /** A message without a request, and with long JSON. */
    private static byte[] paddedPong(int bytes) {
        byte[] json =
                ("{\"type\":\"pong\"" + " ".repeat(bytes) + "}")
                        .getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(8 + json.length).putInt(json.length).putInt(0).put(json).array();
    }
}

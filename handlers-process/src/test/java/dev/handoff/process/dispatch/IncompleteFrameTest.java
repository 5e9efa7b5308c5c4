package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.SlowClients;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a frame that has not come whole may take: room, and time. */
final class IncompleteFrameTest {
    private static final int LIMIT_BYTES = 1_000_000;

    /** More than one read takes, less than the kernel. */
    private static final int LARGE_BYTES = 100_000;

    private static final int READ_BYTES = 64 * 1024;
    private static final Duration TIMEOUT = IncompleteFrame.TIMEOUT;
    private static final Duration STANDSTILL = HeldBackTime.STANDSTILL;
    private static final Duration MOST_HOLD = HeldBackTime.MOST;
    private static final Duration LOOK = IncompleteFrame.LOOK;
    private static final Duration SLOW = HeldBackTime.SLOW;
    private static final Duration NANO = Duration.ofNanos(1);

    private final ResponseRoom room = new ResponseRoom(LIMIT_BYTES);
    private final ResponseRoom.Share share = room.newShare();
    private TestPool pool;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start(room);
    }

    @AfterEach
    void stop() throws IOException {
        pool.close();
        assertEquals(0, room.bytes());
        assertEquals(0, room.waiting());
    }

    @Test
    void aLargeResponseWaitsForRoomWhileSmallOnesPass() throws IOException {
        ResponseRoom.Claim all = fillRoom();
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

    @Test
    void whatWaitsBehindAResponseWithoutRoomWaitsForAMoment() throws IOException {
        ResponseRoom.Claim all = fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange large = pool.get("/large");
            TestExchange small = pool.get("/small");
            sendWithoutRoom(worker);
            worker.answerNext("small");
            pool.advance(STANDSTILL.minus(NANO));
            assertFalse(large.isAnswered());

            pool.advance(LOOK);
            large.assertFailed(503, "responses_full");
            small.assertResponse("small");
            assertEquals(
                    new PoolEvent.NoRoom("default-external-1", LARGE_BYTES, LIMIT_BYTES),
                    pool.events.await(PoolEvent.NoRoom.class));
            pool.events.await(PoolEvent.AnsweredLate.class);
            assertEquals(1, room.givenUp());
            all.end();
        }
    }

    @Test
    void theNextOneIsNotTriedUntilRoomWasGrantedToAnybody() throws IOException {
        ResponseRoom.Claim all = fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange first = pool.get("/0");
            TestExchange second = pool.get("/1");
            TestExchange third = pool.get("/2");
            sendWithoutRoom(worker);
            pool.advance(STANDSTILL);
            first.assertFailed(503, "responses_full");
            sendLarge(worker);
            second.assertFailed(503, "responses_full");

            all.end();
            sendLarge(worker);
            assertLarge(third);
        }
    }

    @Test
    void oneWaitsLongerWhileOthersGetRoom() throws IOException {
        ResponseRoom.Claim all = fillRoom();
        try (TestWorker worker = pool.join(1)) {
            TestExchange large = pool.get("/large");
            pool.get("/queued");
            sendWithoutRoom(worker);
            for (Duration waited = LOOK;
                    waited.compareTo(MOST_HOLD) < 0;
                    waited = waited.plus(LOOK)) {
                share.claim(1, () -> {}).end();
                pool.advance(LOOK);
                assertFalse(large.isAnswered());
            }
            share.claim(1, () -> {}).end();
            pool.advance(LOOK);
            large.assertFailed(503, "responses_full");
            all.end();
        }
    }

    @Test
    void aSlowBodyLosesItsRoomToOthersThatWaitForIt() throws IOException {
        int bytes = LIMIT_BYTES;
        int cameBytes = bytes * 9 / 10;
        try (TestWorker slow = pool.join(1);
                TestWorker other = pool.join(1)) {
            TestExchange dropped = pool.get("/slow");
            byte[] frame = responseFrame(slow, bytes);
            slow.sendBytes(Arrays.copyOf(frame, cameBytes));
            pool.await(snapshot -> room.bytes() == bytes);
            pool.advance(LOOK);
            pool.advance(SLOW);
            assertFalse(dropped.isAnswered());

            TestExchange served = pool.get("/other");
            sendWithoutRoom(other);
            pool.advance(LOOK);
            dropped.assertFailed(503, "responses_full");
            assertLarge(served);
            assertEquals(bytes, pool.events.await(PoolEvent.SlowResponse.class).bodyBytes());

            slow.sendBytes(Arrays.copyOfRange(frame, cameBytes, frame.length));
            pool.events.await(PoolEvent.AnsweredLate.class);
            TestExchange next = pool.get("/next");
            slow.answerNext("still there");
            next.assertResponse("still there");
        }
    }

    @Test
    void bodiesThatStopKeepNobodyOutByWhatTheyAnnounce() throws IOException {
        List<TestWorker> stopped = beginAndStop(5, READ_BYTES - 1);
        assertServed();
        assertEquals(0, room.givenUp());
        end(stopped);
    }

    /** Only the next read tells that there is nothing more. */
    @Test
    void norDoThoseThatStopAtTheEndOfARead() throws IOException {
        List<TestWorker> stopped = beginAndStop(5, READ_BYTES);
        pool.advance(NANO);
        assertServed();
        assertEquals(0, room.givenUp());
        end(stopped);
    }

    private List<TestWorker> beginAndStop(int workers, int bytes) throws IOException {
        List<TestWorker> stopped = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            TestWorker worker = pool.join(1);
            stopped.add(worker);
            pool.get("/stops");
            byte[] frame = responseFrame(worker, LIMIT_BYTES);
            worker.sendBytes(Arrays.copyOf(frame, bytes));
            pool.loops.awaitIdle();
        }
        return stopped;
    }

    private void assertServed() throws IOException {
        try (TestWorker other = pool.join(1)) {
            assertServed(other);
        }
    }

    private void assertServed(TestWorker other) throws IOException {
        TestExchange served = pool.get("/other");
        sendLarge(other);
        assertLarge(served);
    }

    private static void end(List<TestWorker> workers) throws IOException {
        for (TestWorker worker : workers) {
            worker.close();
        }
    }

    @Test
    void aTrickleKeepsNobodyOut() throws IOException {
        try (TestWorker trickler = pool.join(1);
                TestWorker other = pool.join(1)) {
            TestExchange trickled = pool.get("/trickled");
            byte[] frame = responseFrame(trickler, LIMIT_BYTES);
            for (int at = 0; at < frame.length; at += READ_BYTES) {
                int end = Math.min(frame.length, at + READ_BYTES);
                trickler.sendBytes(Arrays.copyOfRange(frame, at, end));
                pool.loops.awaitIdle();
                pool.advance(NANO);
                if (end <= LIMIT_BYTES / 2) {
                    assertServed(other);
                }
                pool.advance(SLOW.minus(NANO).minus(NANO));
            }
            assertEquals(LIMIT_BYTES, trickled.response().body().sizeBytes());
        }
    }

    @Test
    void whatHasComeAndCannotGoOnIsDroppedWhenOthersWait() throws IOException {
        try (TestWorker halted = pool.join(1);
                TestWorker other = pool.join(1)) {
            TestExchange dropped = pool.get("/halted");
            byte[] frame = responseFrame(halted, LIMIT_BYTES);
            int cameBytes = LIMIT_BYTES * 3 / 5;
            halted.sendBytes(Arrays.copyOf(frame, cameBytes));
            pool.await(snapshot -> room.bytes() > cameBytes - 1000);
            ResponseRoom.Claim comes = share.claim(LIMIT_BYTES / 5, () -> {});
            assertTrue(comes.isGranted());
            halted.sendBytes(Arrays.copyOfRange(frame, cameBytes, cameBytes + READ_BYTES));
            halted.keep(Arrays.copyOfRange(frame, cameBytes + READ_BYTES, frame.length));
            pool.await(snapshot -> room.waiting() == 1);
            pool.advance(STANDSTILL.multipliedBy(3));
            assertFalse(dropped.isAnswered());

            TestExchange served = pool.get("/other");
            sendLarge(other);
            pool.await(snapshot -> room.waiting() == 2);
            pool.advance(LOOK);
            dropped.assertFailed(503, "responses_full");
            assertLarge(served);
            halted.sendKept();
            pool.events.await(PoolEvent.AnsweredLate.class);
            comes.end();
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
    void oneForWhichNobodyElseWaitsMayWait() throws IOException {
        ResponseRoom.Claim all = fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange large = pool.get("/large");
            sendWithoutRoom(worker);
            pool.advance(MOST_HOLD.multipliedBy(5));
            assertFalse(large.isAnswered());
            all.end();
            assertLarge(large);
        }
    }

    @Test
    void oneThatWaitsGetsNoOtherRequest() throws IOException {
        ResponseRoom.Claim all = fillRoom();
        try (TestWorker one = pool.join(2);
                TestWorker other = pool.join(2)) {
            pool.get("/0");
            sendWithoutRoom(one);
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

    /** Large responses without room, one after the other, leave their worker nine tenths. */
    @Test
    void aWorkerThatWasHeldBackForClientsIsNotSoonHeldAgain() throws IOException {
        SlowClients.hold(room, LIMIT_BYTES);
        try (TestWorker worker = pool.join(2)) {
            TestExchange first = pool.get("/first");
            holdForLongest(worker);
            first.assertFailed(503, "responses_full");
            grantToSomebody();

            TestExchange second = pool.get("/second");
            sendLarge(worker);
            second.assertFailed(503, "responses_full");
            pool.await(snapshot -> room.givenUp() == 2);
            grantToSomebody();

            pool.advance(MOST_HOLD.multipliedBy(10));
            TestExchange third = pool.get("/third");
            sendWithoutRoom(worker);
            advanceWithGrants(MOST_HOLD.minus(LOOK));
            assertFalse(third.isAnswered());
            SlowClients.hold(room, -LIMIT_BYTES);
            assertLarge(third);
        }
    }

    /** Workers that fill the room go soon; it is worth the wait. */
    @Test
    void oneThatOtherWorkersKeepOutWaitsAgain() throws IOException {
        ResponseRoom.Claim all = fillRoom();
        try (TestWorker worker = pool.join(2)) {
            pool.get("/first");
            holdForLongest(worker);
            pool.await(snapshot -> room.givenUp() == 1);
            grantToSomebody();

            TestExchange second = pool.get("/second");
            sendWithoutRoom(worker);
            advanceWithGrants(MOST_HOLD.minus(LOOK));
            all.end();
            assertLarge(second);
        }
    }

    /** The response to the worker's first request waits, and another client for the second one. */
    private void holdForLongest(TestWorker worker) throws IOException {
        pool.get("/waits");
        Message.Request request = worker.request();
        worker.request();
        worker.send(large(request));
        pool.await(snapshot -> room.waiting() == 1);
        advanceWithGrants(MOST_HOLD);
    }

    private void advanceWithGrants(Duration time) {
        for (long steps = time.dividedBy(LOOK); steps > 0; steps--) {
            grantToSomebody();
            pool.advance(LOOK);
        }
    }

    private void grantToSomebody() {
        share.claim(1, () -> {}).end();
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
        ResponseRoom.Claim all = fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange first = pool.get("/0");
            TestExchange second = pool.get("/1");
            sendWithoutRoom(worker);
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
        ResponseRoom.Claim all = fillRoom();
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
        ResponseRoom.Claim all = fillRoom();
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

    /** Others hold all the room there is, until the claim ends. */
    private ResponseRoom.Claim fillRoom() {
        return share.claim(LIMIT_BYTES, () -> {});
    }

    private static void sendLarge(TestWorker worker) throws IOException {
        worker.send(large(worker.request()));
    }

    private void sendWithoutRoom(TestWorker worker) throws IOException {
        sendLarge(worker);
        pool.await(snapshot -> room.waiting() == 1);
    }

    /** The response to the next request of the worker. */
    private static byte[] responseFrame(TestWorker worker, int bytes) throws IOException {
        return new FrameEncoder().encode(response(worker.request(), bytes));
    }

    private static void assertLarge(TestExchange answered) {
        assertEquals(LARGE_BYTES, answered.response().body().sizeBytes());
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

    private static Message.Response large(Message.Request request) {
        return response(request, LARGE_BYTES);
    }

    private static Message.Response response(Message.Request request, int bytes) {
        return new Message.Response(
                request.id(), Response.of(200, Headers.EMPTY, Body.of(new byte[bytes])));
    }

    /** A message without a request, and with long JSON. */
    private static byte[] paddedPong(int bytes) {
        byte[] json =
                ("{\"type\":\"pong\"" + " ".repeat(bytes) + "}")
                        .getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(8 + json.length).putInt(json.length).putInt(0).put(json).array();
    }
}

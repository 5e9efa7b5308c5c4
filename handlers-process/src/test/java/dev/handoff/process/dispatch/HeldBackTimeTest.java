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
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.SlowClients;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * For how long a response without room may wait, or one with room may be slow, while that keeps
 * others waiting.
 */
final class HeldBackTimeTest {
    private static final Duration STANDSTILL = HeldBackTime.STANDSTILL;
    private static final Duration MOST_HOLD = HeldBackTime.MOST;
    private static final Duration LOOK = HeldBackTime.LOOK;
    private static final Duration SLOW = HeldBackTime.SLOW;
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
    void whatWaitsBehindAResponseWithoutRoomWaitsForAMoment() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange large = pool.get("/large");
            TestExchange small = pool.get("/small");
            responses.sendWithoutRoom(worker);
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
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange first = pool.get("/0");
            TestExchange second = pool.get("/1");
            TestExchange third = pool.get("/2");
            responses.sendWithoutRoom(worker);
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
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(1)) {
            TestExchange large = pool.get("/large");
            pool.get("/queued");
            responses.sendWithoutRoom(worker);
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
            responses.sendWithoutRoom(other);
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
            // Before they are all there, the room counts the whole response.
            pool.await(snapshot -> room.bytes() > cameBytes - 1000 && room.bytes() <= cameBytes);
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

    @Test
    void oneForWhichNobodyElseWaitsMayWait() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(2)) {
            TestExchange large = pool.get("/large");
            responses.sendWithoutRoom(worker);
            pool.advance(MOST_HOLD.multipliedBy(5));
            assertFalse(large.isAnswered());
            all.end();
            assertLarge(large);
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
            responses.sendWithoutRoom(worker);
            advanceWithGrants(MOST_HOLD.minus(LOOK));
            assertFalse(third.isAnswered());
            SlowClients.hold(room, -LIMIT_BYTES);
            assertLarge(third);
        }
    }

    /** Workers that fill the room go soon; it is worth the wait. */
    @Test
    void oneThatOtherWorkersKeepOutWaitsAgain() throws IOException {
        ResponseRoom.Claim all = responses.fillRoom();
        try (TestWorker worker = pool.join(2)) {
            pool.get("/first");
            holdForLongest(worker);
            pool.await(snapshot -> room.givenUp() == 1);
            grantToSomebody();

            TestExchange second = pool.get("/second");
            responses.sendWithoutRoom(worker);
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
}

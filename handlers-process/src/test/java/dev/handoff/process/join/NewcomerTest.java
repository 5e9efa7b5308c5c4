package dev.handoff.process.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Response;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is let in, and who is turned away with which reason. */
final class NewcomerTest {
    @Test
    void welcomesWithItsNameAndTheLimits() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(TestWorker.hello(1));
            FrameLimits limits = PoolLimits.DEFAULT.fromWorker();
            assertEquals(
                    new Message.Welcome(
                            1,
                            "default-external-1",
                            limits.jsonBytes(),
                            limits.bodyBytes(),
                            0,
                            "handoff/test",
                            List.of()),
                    worker.expect(Message.Welcome.class));
            assertEquals("default-external-1", pool.events.await(PoolEvent.Joined.class).worker());
        }
    }

    @Test
    void movesToItsPoolAlsoOnTheSameLoop() throws IOException {
        try (TestPool pool = TestPool.startOnOneLoop();
                TestWorker worker = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            worker.answerNext("hello");
            exchange.assertResponse("hello");
        }
    }

    @Test
    void aSilentOneDelaysNobody() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker silent = TestWorker.connect(pool.path);
                TestWorker good = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            good.answerNext("hello");
            exchange.assertResponse("hello");

            pool.advance(Duration.ofSeconds(5));
            assertTurnedAway(pool, silent, "hello_timeout");
        }
    }

    @Test
    void aTrickledHelloHasTheSameDeadline() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker slow = TestWorker.connect(pool.path)) {
            // The core asks for the users in turn, and waits for a hello when it knows whose.
            pool.join(1).close();
            for (int i = 0; i < 5; i++) {
                slow.sendBytes(new byte[] {0});
                pool.advance(Duration.ofSeconds(1));
            }
            assertTurnedAway(pool, slow, "hello_timeout");
        }
    }

    @Test
    void beyondTheLimitTheOldestSilentOneGoesAndAWorkerComesThrough() throws IOException {
        try (TestPool pool = TestPool.start()) {
            List<TestWorker> silent = new ArrayList<>();
            for (int i = 0; i < WorkerSocket.MOST_NEWCOMERS; i++) {
                silent.add(TestWorker.connect(pool.path));
            }
            pool.loops.awaitIdle();
            assertEquals(List.of(), pool.events.heard(PoolEvent.TurnedAway.class));
            silent.add(TestWorker.connect(pool.path));
            assertTurnedAway(pool, silent.getFirst(), "too_many_newcomers");

            try (TestWorker worker = pool.join(1)) {
                TestExchange exchange = pool.get("/");
                worker.answerNext("hello");
                exchange.assertResponse("hello");
            }
            for (TestWorker each : silent) {
                each.close();
            }
        }
    }

    @Test
    void tellsHttpClientsThatTheyAreWrongHere() throws IOException {
        assertTurnedAway("looks_like_http", "GET / HTTP/1.1\r\n\r\n");
    }

    @Test
    void refusesWhatIsNoJson() throws IOException {
        assertTurnedAway("not_json", "\0\0\0\2\0\0\0\0no");
    }

    @Test
    void refusesALongHelloBeforeItComes() throws IOException {
        assertTurnedAway("frame_json_too_long", "\0\1\0\1\0\0\0\0");
    }

    @Test
    void refusesAnotherVersion() throws IOException {
        assertTurnedAway("bad_protocol", TestWorker.hello(1, "default", null, 2));
    }

    @Test
    void refusesAnUnknownPool() throws IOException {
        assertTurnedAway("unknown_pool", TestWorker.hello(1, "other", null, 1));
    }

    @Test
    void theLastThatWasTurnedAwayIsTheErrorOfAPoolWithoutWorkers() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker wrong = TestWorker.connect(pool.path)) {
            assertEquals("", pool.snapshot().lastError());
            wrong.send(TestWorker.hello(1, "oth\u202eer", null, 1));
            pool.events.await(PoolEvent.TurnedAway.class);
            assertEquals(
                    "turned away (unknown_pool): there is no pool \"oth\ufffder\"",
                    pool.snapshot().lastError());

            TestWorker right = pool.join(1);
            assertEquals("", pool.snapshot().lastError());
            right.close();
            pool.events.await(PoolEvent.Left.class);
            assertEquals("", pool.snapshot().lastError());
        }
    }

    @Test
    void eachPoolWithoutWorkersRemembersACallerThatMayHaveBeenMeantForIt() throws IOException {
        try (TestPool pool = TestPool.start()) {
            WorkerPool second = pool.second("second");
            try (TestWorker wrong = TestWorker.connect(pool.path)) {
                wrong.send(TestWorker.hello(1, "other", null, 1));
                pool.events.await(PoolEvent.TurnedAway.class);
                wrong.remaining();
            }
            pool.loops.awaitIdle();
            String why = "turned away (unknown_pool): there is no pool \"other\"";
            assertEquals(why, pool.snapshot().lastError());
            assertEquals(why, TestLoops.await(second.snapshot()).lastError());
            assertEquals(List.of(), pool.events.heard(PoolEvent.TurnedAway.class));
        }
    }

    @Test
    void tellsWhenNoWorkerComesOrTheLastHasLeft() throws IOException {
        try (TestPool pool = TestPool.start()) {
            pool.pool.expectWorkers();
            pool.loops.awaitIdle();
            pool.advance(Duration.ofSeconds(29));
            assertEquals(List.of(), pool.events.heard(PoolEvent.NoWorker.class));
            pool.advance(Duration.ofSeconds(1));
            assertEquals(
                    Duration.ofSeconds(30), pool.events.await(PoolEvent.NoWorker.class).since());

            TestWorker worker = pool.join(1);
            pool.advance(Duration.ofSeconds(60));
            assertEquals(List.of(), pool.events.heard(PoolEvent.NoWorker.class));
            worker.close();
            pool.events.await(PoolEvent.Left.class);
            pool.loops.awaitIdle();
            pool.advance(Duration.ofSeconds(30));
            pool.events.await(PoolEvent.NoWorker.class);
        }
    }

    @Test
    void tellsNothingOfThatWhenThePoolEnds() throws IOException {
        try (TestPool pool = TestPool.start()) {
            pool.pool.expectWorkers();
            pool.loops.awaitIdle();
            TestLoops.await(pool.pool.drain());
            pool.advance(Duration.ofSeconds(60));
            assertEquals(List.of(), pool.events.heard(PoolEvent.NoWorker.class));
        }
    }

    @Test
    void refusesAnyOtherFirstMessage() throws IOException {
        assertTurnedAway("out_of_order", new Message.Pong());
    }

    @Test
    void hearsOfOneThatHangsUpInItsHello() throws IOException {
        try (TestPool pool = TestPool.start()) {
            try (TestWorker worker = TestWorker.connect(pool.path)) {
                worker.sendBytes(new byte[] {0, 0});
            }
            assertEquals("no_hello", pool.events.await(PoolEvent.TurnedAway.class).code());
        }
    }

    /** As a second server does, to see whether the socket file is stale. */
    @Test
    void hearsNothingOfOneThatOnlyLooks() throws IOException {
        try (TestPool pool = TestPool.start()) {
            TestWorker.connect(pool.path).close();
            try (TestWorker worker = TestWorker.connect(pool.path)) {
                worker.send(new Message.Pong());
                assertEquals("out_of_order", pool.events.await(PoolEvent.TurnedAway.class).code());
            }
        }
    }

    @Test
    void readsWhatComesInOneWriteWithTheHello() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = TestWorker.connect(pool.path)) {
            TestExchange exchange = pool.get("/");
            worker.send(
                    TestWorker.hello(0),
                    new Message.Response(99, Response.text(200, "nobody asked")),
                    new Message.Capacity(1));
            worker.expect(Message.Welcome.class);
            worker.answerNext("hello");

            exchange.assertResponse("hello");
            assertEquals(99, pool.events.await(PoolEvent.UnknownResponse.class).id());
        }
    }

    @Test
    void refusesASecondHello() throws IOException {
        for (List<Message> hellos : oneAndTwoWrites()) {
            try (TestPool pool = TestPool.start();
                    TestWorker worker = TestWorker.connect(pool.path)) {
                worker.send(hellos.toArray(Message[]::new));
                worker.expect(Message.Welcome.class);
                if (hellos.size() == 1) {
                    worker.send(TestWorker.hello(1));
                }
                assertEquals(
                        "out_of_order",
                        assertInstanceOf(Message.Refused.class, worker.remaining().getFirst())
                                .code());
                assertEquals(
                        LeaveReason.PROTOCOL_FAULT,
                        pool.events.await(PoolEvent.Left.class).reason());
            }
        }
    }

    @Test
    void turnsAwayWhoComesWhileThePoolDrains() throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker late = TestWorker.connect(pool.path)) {
            TestLoops.await(pool.pool.drain());
            late.send(TestWorker.hello(1));
            assertTurnedAway(pool, late, "draining");
        }
    }

    private static List<List<Message>> oneAndTwoWrites() {
        Message hello = TestWorker.hello(1);
        return List.of(List.of(hello, hello), List.of(hello));
    }

    private static void assertTurnedAway(String code, Message first) throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = TestWorker.connect(pool.path)) {
            worker.send(first);
            assertTurnedAway(pool, worker, code);
        }
    }

    private static void assertTurnedAway(String code, String firstBytes) throws IOException {
        try (TestPool pool = TestPool.start();
                TestWorker worker = TestWorker.connect(pool.path)) {
            worker.sendBytes(firstBytes.getBytes(StandardCharsets.ISO_8859_1));
            assertTurnedAway(pool, worker, code);
        }
    }

    private static void assertTurnedAway(TestPool pool, TestWorker worker, String code)
            throws IOException {
        List<Message> said = worker.remaining();
        assertEquals(1, said.size());
        assertEquals(code, assertInstanceOf(Message.Refused.class, said.getFirst()).code());
        assertEquals(code, pool.events.await(PoolEvent.TurnedAway.class).code());
        assertTrue(pool.events.heard(PoolEvent.Joined.class).isEmpty());
    }
}

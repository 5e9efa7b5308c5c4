package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Processes that have served enough are replaced, and nobody notices. */
final class RecyclingTest extends SupervisedPool {
    private static final Duration AGE = Duration.ofHours(1);
    private static final Duration LATEST = Duration.ofMinutes(66);
    private static final Duration EARLIEST = Duration.ofMinutes(54);
    private static final RecycleLimits BY_AGE = new RecycleLimits(0, AGE, 0);

    @Test
    void eachProcessHasLimitsOfItsOwnWithinATenthOfTheGivenOnes() {
        RecycleLimits given = new RecycleLimits(1000, AGE, 1 << 30);
        Set<Long> different = new HashSet<>();
        Random random = new Random(1);
        for (int i = 0; i < 100; i++) {
            RecycleLimits own = given.jittered(random);
            different.add(own.requests());
            assertTrue(own.requests() >= 900 && own.requests() <= 1100, own.toString());
            assertTrue(own.age().compareTo(EARLIEST) >= 0, own.toString());
            assertTrue(own.age().compareTo(LATEST) <= 0, own.toString());
            assertTrue(Math.abs(own.memoryBytes() - (1L << 30)) <= (1L << 30) / 10 + 1);
        }
        assertTrue(different.size() > 50, different.toString());
    }

    @Test
    void whatIsOffStaysOff() {
        assertEquals(RecycleLimits.NONE, RecycleLimits.NONE.jittered(new Random(1)));
    }

    @Test
    void aProcessThatHasAnsweredEnoughIsReplaced() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1, new RecycleLimits(1, Duration.ZERO, 0));
        try (TestWorker old = workers.join("default-1")) {
            TestExchange first = pool.get("/first");
            TestExchange second = pool.get("/second");
            old.answerNext("first");
            first.assertResponse("first");
            Message.Request held = old.request();
            try (TestWorker successor = workers.join("default-2")) {
                old.expect(Message.Drain.class);
                pool.advance(Duration.ofSeconds(10));
                old.answer(held, "second");
                second.assertResponse("second");
                TestExchange third = pool.get("/third");
                successor.answerNext("third");
                third.assertResponse("third");
            }
        }
        assertEquals(
                new PoolEvent.Replaced("default-1", "default-2", ReplaceCause.REQUESTS),
                pool.events.await(PoolEvent.Replaced.class));
    }

    @Test
    void aProcessThatIsOldEnoughIsReplaced() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1, BY_AGE);
        try (TestWorker old = workers.join("default-1")) {
            pool.advance(EARLIEST.minusNanos(1));
            assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
            // So long without a word, it is asked whether it is there.
            old.expect(Message.Ping.class);
            old.send(new Message.Pong());
            pool.loops.awaitIdle();
            pool.advance(LATEST.minus(EARLIEST).plusNanos(2));
            try (TestWorker successor = workers.join("default-2")) {
                assertEquals(ReplaceCause.AGE, pool.events.await(PoolEvent.Replaced.class).cause());
                assertFalse(successor.hasMessage());
            }
        }
    }

    @Test
    void oneAtATimeIsReplaced() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2, new RecycleLimits(1, Duration.ZERO, 0));
        try (TestWorker first = workers.join("default-1");
                TestWorker second = workers.join("default-2")) {
            pool.get("/");
            pool.get("/");
            first.answerNext("enough");
            StartedWorkers.Started third = workers.await("default-3");
            second.answerNext("enough");
            pool.loops.awaitIdle();
            assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
            try (TestWorker successor = workers.join(third)) {
                workers.await("default-4");
                assertFalse(successor.hasMessage());
            }
        }
    }

    /** Clients decide how fast requests come, and for how long their responses go on. */
    @Test
    void noMoreAreFinishingThanThePoolIsToHave() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1, new RecycleLimits(1, Duration.ZERO, 0));
        TestWorker old = workers.join("default-1");
        pool.get("/enough");
        TestExchange second = pool.get("/held");
        old.answerNext("enough");
        Message.Request held = old.request();
        try (TestWorker successor = workers.join("default-2")) {
            old.expect(Message.Drain.class);
            pool.get("/enough");
            successor.answerNext("enough");
            pool.loops.awaitIdle();
            assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
            old.answer(held, "at last");
            second.assertResponse("at last");
            old.close();
            pool.events.await(PoolEvent.Left.class);
            pool.advance(ProcessRun.LEAVE_GRACE);
            workers.await("default-1");
        }
    }

    @Test
    void aSuccessorThatDoesNotStartIsTriedAgainLater() throws IOException {
        superviseScript(StartedWorkers.TELLS_TOKEN, 1, new RecycleLimits(1, Duration.ZERO, 0));
        try (TestWorker old = workers.join("default-1")) {
            writeScript("exit 1");
            TestExchange exchange = pool.get("/");
            old.answerNext("enough");
            exchange.assertResponse("enough");
            assertEquals(
                    ReplaceCause.REQUESTS, pool.events.await(PoolEvent.NotReplaced.class).cause());
            writeScript(StartedWorkers.TELLS_TOKEN);
            assertFalse(old.hasMessage());
            pool.events.await(PoolEvent.Started.class);
            assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
            pool.advance(Replacements.RECYCLE_PAUSE);
            try (TestWorker successor = workers.join("default-2")) {
                assertFalse(successor.hasMessage());
                old.expect(Message.Ping.class);
                old.expect(Message.Drain.class);
            }
        }
    }

    @Test
    void aProcessThatGrowsIsReplaced() {
        assumeTrue(ResidentMemory.isKnown(), "this system does not tell the memory of a process");
        RecycleLimits recycling = new RecycleLimits(0, Duration.ZERO, 64 << 20);
        pool.supervise(Processes.python("grows"), 1, recycling);
        pool.events.await(PoolEvent.Joined.class);
        for (int i = 0; i < 20; i++) {
            pool.get("/").assertResponse("good");
        }
        assertEquals(0, pool.snapshot().workers().getFirst().memoryBytes());
        pool.advance(Supervisor.MEMORY_INTERVAL);
        assertEquals(ReplaceCause.MEMORY, pool.events.await(PoolEvent.Replaced.class).cause());
        pool.get("/").assertResponse("good");
    }

    @Test
    void nothingIsLostUnderLoad() {
        pool.supervise(Processes.python("good"), 2, new RecycleLimits(20, Duration.ZERO, 0));
        int replaced = 0;
        int asked = 0;
        while (replaced < 4) {
            pool.get("/").assertResponse("good");
            asked++;
            replaced = pool.events.heard(PoolEvent.Replaced.class).size();
        }
        System.out.println("measured: requests while 4 workers were recycled " + asked);
    }
}

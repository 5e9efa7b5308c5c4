package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that have served enough are replaced, and nobody notices. */
@Tag("processes")
final class RecyclingTest {
    private static final Duration AGE = Duration.ofHours(1);
    private static final Duration LATEST = Duration.ofMinutes(66);
    private static final Duration EARLIEST = Duration.ofMinutes(54);
    private static final RecycleLimits BY_AGE = new RecycleLimits(0, AGE, 0);

    @TempDir private Path folder;
    private TestPool pool;
    private StartedWorkers workers;

    @BeforeEach
    void start() throws IOException {
        pool = TestPool.start();
        workers = new StartedWorkers(pool);
    }

    @AfterEach
    void stop() throws IOException {
        pool.close();
    }

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
            old.answer(old.request(), "first");
            assertEquals("first", first.response().body().toUtf8());
            Message.Request held = old.request();
            try (TestWorker successor = workers.join("default-2")) {
                old.expect(Message.Drain.class);
                pool.advance(Duration.ofSeconds(10));
                old.answer(held, "second");
                assertEquals("second", second.response().body().toUtf8());
                TestExchange third = pool.get("/third");
                successor.answer(successor.request(), "third");
                assertEquals("third", third.response().body().toUtf8());
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
            first.answer(first.request(), "enough");
            StartedWorkers.Started third = workers.await("default-3");
            second.answer(second.request(), "enough");
            pool.loops.awaitIdle();
            assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
            try (TestWorker successor = workers.join(third)) {
                workers.await("default-4");
                assertFalse(successor.hasMessage());
            }
        }
    }

    @Test
    void aSuccessorThatDoesNotStartIsTriedAgainLater() throws IOException {
        Path script = folder.resolve("handler.sh");
        Files.writeString(script, "echo $HANDOFF_TOKEN; exec sleep 1000");
        RecycleLimits recycling = new RecycleLimits(1, Duration.ZERO, 0);
        pool.supervise(List.of("sh", script.toString()), 1, recycling);
        try (TestWorker old = workers.join("default-1")) {
            Files.writeString(script, "exit 1");
            TestExchange exchange = pool.get("/");
            old.answer(old.request(), "enough");
            assertEquals("enough", exchange.response().body().toUtf8());
            assertEquals(
                    ReplaceCause.REQUESTS, pool.events.await(PoolEvent.NotReplaced.class).cause());
            Files.writeString(script, "echo $HANDOFF_TOKEN; exec sleep 1000");
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
            assertEquals("good", pool.get("/").response().body().toUtf8());
        }
        assertEquals(0, pool.snapshot().workers().getFirst().memoryBytes());
        pool.advance(Supervisor.MEMORY_INTERVAL);
        assertEquals(ReplaceCause.MEMORY, pool.events.await(PoolEvent.Replaced.class).cause());
        assertEquals("good", pool.get("/").response().body().toUtf8());
    }

    @Test
    void nothingIsLostUnderLoad() {
        pool.supervise(Processes.python("good"), 2, new RecycleLimits(20, Duration.ZERO, 0));
        int replaced = 0;
        int asked = 0;
        while (replaced < 4) {
            assertEquals("good", pool.get("/").response().body().toUtf8());
            asked++;
            replaced = pool.events.heard(PoolEvent.Replaced.class).size();
        }
        System.out.println("measured: requests while 4 workers were recycled " + asked);
    }
}

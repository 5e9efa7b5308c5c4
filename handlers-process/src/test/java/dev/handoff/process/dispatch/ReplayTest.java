package dev.handoff.process.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.http.Body;
import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.server.Abandonment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real process is killed with a request in hand; each process writes down what it was given. What
 * may be done twice is, once; what may not never is.
 */
@Tag("processes")
final class ReplayTest {
    private static final PoolLimits REPLAYING = PoolLimits.DEFAULT.withReplaySafeMethods(true);

    @TempDir private Path folder;

    @Test
    void aPostIsNeverDoneTwice() throws IOException {
        try (TestPool pool = start(REPLAYING)) {
            TestExchange post = pool.post("/order", Body.utf8("one"));
            killWhoeverHasIt(pool);
            post.assertFailed(502, "worker_lost");
            // The worker that is left has been given whatever it will be given before this.
            pool.get("/after").assertResponse("done");
            assertRecords("POST /order", "GET /after");
        }
    }

    @Test
    void aGetIsDoneOnceMoreWhereThePoolAllowsIt() throws IOException {
        try (TestPool pool = start(REPLAYING)) {
            TestExchange get = pool.get("/read");
            killWhoeverHasIt(pool);
            get.assertResponse("done");
            assertEquals(1, get.responses());
            assertRecords("GET /read", "GET /read");
        }
    }

    @Test
    void aGetIsNotDoneTwiceUnlessThePoolAllowsIt() throws IOException {
        try (TestPool pool = start(PoolLimits.DEFAULT)) {
            TestExchange get = pool.get("/read");
            killWhoeverHasIt(pool);
            get.assertFailed(502, "worker_lost");
            assertRecords("GET /read");
        }
    }

    @Test
    void whatTwoWorkersDiedWithIsNotTriedAgain() throws IOException {
        try (TestPool pool = TestPool.start(REPLAYING);
                TestWorker first = pool.join(1);
                TestWorker second = pool.join(1);
                TestWorker third = pool.join(1)) {
            TestExchange poison = pool.get("/poison");
            List<TestWorker> living = new ArrayList<>(List.of(first, second, third));
            for (int deaths = 0; deaths < 2; deaths++) {
                String holder = pool.events.await(PoolEvent.Dispatched.class).worker();
                TestWorker victim = List.of(first, second, third).get(number(holder) - 1);
                victim.request();
                living.remove(victim);
                victim.die();
            }
            poison.assertFailed(502, "worker_lost");
            assertFalse(living.getFirst().hasMessage());
        }
    }

    @Test
    void theSecondWaitIsCountedFromTheLossOfTheFirstWorker() throws IOException {
        try (TestPool pool = TestPool.start(REPLAYING)) {
            pool.get("/");
            pool.advance(Duration.ofMillis(300));
            try (TestWorker first = pool.join(1)) {
                first.request();
                assertEquals(300, waitMillis(pool));
                pool.advance(Duration.ofSeconds(1));
                first.die();
                pool.events.await(PoolEvent.Left.class);
            }
            pool.advance(Duration.ofMillis(20));
            try (TestWorker second = pool.join(1)) {
                second.request();
                assertEquals(20, waitMillis(pool));
            }
        }
    }

    @Test
    void aCancelledRequestIsNotReplayed() throws IOException {
        try (TestPool pool = TestPool.start(REPLAYING);
                TestWorker first = pool.join(1)) {
            TestExchange exchange = pool.get("/");
            first.request();
            exchange.abandon(Abandonment.CLIENT_GONE);
            pool.loops.awaitIdle();
            try (TestWorker second = pool.join(1)) {
                first.die();
                pool.events.await(PoolEvent.Left.class);
                pool.loops.awaitIdle();
                assertFalse(second.hasMessage());
            }
        }
    }

    private static long waitMillis(TestPool pool) {
        return Duration.ofNanos(pool.events.await(PoolEvent.Dispatched.class).waitNanos())
                .toMillis();
    }

    private TestPool start(PoolLimits limits) throws IOException {
        TestPool pool = TestPool.start(limits);
        List<String> command = new ArrayList<>(Processes.python("records"));
        command.add(folder.resolve("taken").toString());
        command.add(records().toString());
        pool.supervise(command, 2);
        pool.events.await(PoolEvent.Joined.class);
        pool.events.await(PoolEvent.Joined.class);
        return pool;
    }

    private static void killWhoeverHasIt(TestPool pool) {
        String holder = pool.events.await(PoolEvent.Output.class).worker();
        pool.snapshot().workers().stream()
                .filter(worker -> worker.id().equals(holder))
                .forEach(worker -> Processes.kill(worker.pid()));
        pool.events.await(PoolEvent.Left.class, left -> left.worker().equals(holder));
    }

    private static int number(String worker) {
        return Integer.parseInt(worker.substring(worker.lastIndexOf('-') + 1));
    }

    private void assertRecords(String... expected) throws IOException {
        assertEquals(List.of(expected), Files.readAllLines(records()));
    }

    private Path records() {
        return folder.resolve("records");
    }
}

package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Processes that end before their successors start, as two at once would want the same port. */
final class StopFirstTest extends SupervisedPool {

    @Test
    void theNewProcessStartsWhenTheOldOneHasFinishedWhatItHeldAndEnded() throws IOException {
        pool.superviseStoppingFirst(StartedWorkers.TELL_TOKEN, 1);
        TestWorker old = workers.join("default-1");
        TestExchange held = pool.get("/held");
        Message.Request request = old.request();
        CompletableFuture<PoolChange> reloaded = pool.pool.reload();
        old.expect(Message.Drain.class);
        TestExchange waiting = pool.get("/waiting");
        pool.loops.awaitIdle();
        assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
        old.answer(request, "old");
        held.assertResponse("old");
        old.die();
        pool.events.await(PoolEvent.Left.class);
        pool.advance(ProcessRun.LEAVE_GRACE);
        assertTrue(workers.awaitExit("default-1").exit().expected());

        try (TestWorker next = workers.join("default-1")) {
            assertDone(1, reloaded);
            next.answerNext("new");
            waiting.assertResponse("new");
        }
        assertEquals(
                new PoolEvent.Replaced("default-1", "default-1", ReplaceCause.RELOAD),
                pool.events.await(PoolEvent.Replaced.class));
    }

    @Test
    void oneProcessIsReplacedAtATime() throws IOException {
        pool.superviseStoppingFirst(StartedWorkers.TELL_TOKEN, 2);
        TestWorker first = workers.join("default-1");
        TestWorker second = workers.join("default-2");
        CompletableFuture<PoolChange> reloaded = pool.pool.reload();
        workers.leave("default-1", first);
        pool.loops.awaitIdle();
        assertFalse(second.hasMessage());
        TestWorker third = workers.join("default-1");
        workers.leave("default-2", second);
        TestWorker fourth = workers.join("default-2");
        assertDone(2, reloaded);
        third.close();
        fourth.close();
    }

    /** Nothing is left to go on with, so that it is tried again as after any other end. */
    @Test
    void aNewProcessThatDoesNotGetReadyEndsTheReloadAndIsStartedAgain() throws IOException {
        Path broken = folder.resolve("broken");
        String script = "test -e " + broken + " && exit 3; " + StartedWorkers.TELLS_TOKEN;
        pool.superviseStoppingFirst(Processes.shell(script), 1);
        TestWorker old = workers.join("default-1");
        Files.createFile(broken);
        CompletableFuture<PoolChange> reloaded = pool.pool.reload();
        workers.leave("default-1", old);
        PoolChange.Failed failed = assertFailed(reloaded);
        assertEquals("exit code 3 before it was ready", failed.error().reason());
        Files.delete(broken);
        pool.events.await(PoolEvent.Started.class);
        workers.awaitExit("default-1");
        pool.advance(Duration.ofNanos(BackOff.LONGEST_NANOS));
        workers.join("default-1").close();
    }

    @Test
    void aProcessThatIsStartedIsReplacedAsWell() throws IOException {
        pool.superviseStoppingFirst(StartedWorkers.TELL_TOKEN, 1);
        StartedWorkers.Started silent = workers.await("default-1");
        CompletableFuture<PoolChange> reloaded = pool.pool.reload();
        Processes.awaitEnd(silent.pid());
        TestWorker next = workers.join("default-1");
        assertDone(1, reloaded);
        next.close();
    }
}

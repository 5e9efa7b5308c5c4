package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestExchange;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Processes are replaced one after the other, the successor first. */
final class ReloadTest extends SupervisedPool {
    private final Map<String, TestExchange> asked = new HashMap<>();

    @Test
    void theOldWorkerIsToldToDrainWhenTheNewOneTakesRequests() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            TestExchange held = pool.get("/held");
            Message.Request request = old.request();
            CompletableFuture<PoolChange> reloaded = pool.pool.reload();
            StartedWorkers.Started started = workers.await("default-2");
            assertFalse(old.hasMessage());
            try (TestWorker successor = workers.join(started, 0)) {
                pool.loops.awaitIdle();
                assertFalse(old.hasMessage());
                successor.send(new Message.Capacity(1));
                assertDone(1, reloaded);

                TestExchange next = pool.get("/next");
                successor.answerNext("new");
                next.assertResponse("new");
                old.expect(Message.Drain.class);
                old.answer(request, "old");
                held.assertResponse("old");
                old.die();
                pool.events.await(PoolEvent.Left.class);
                pool.advance(ProcessRun.LEAVE_GRACE);
                assertTrue(workers.awaitExit("default-1").exit().expected());
            }
        }
        assertEquals(
                new PoolEvent.Replaced("default-1", "default-2", ReplaceCause.RELOAD),
                pool.events.await(PoolEvent.Replaced.class));
    }

    @Test
    void oneProcessIsReplacedAtATime() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2);
        try (TestWorker first = workers.join("default-1");
                TestWorker second = workers.join("default-2")) {
            CompletableFuture<PoolChange> reloaded = pool.pool.reload();
            StartedWorkers.Started third = workers.await("default-3");
            pool.loops.awaitIdle();
            assertEquals(List.of(), pool.events.heard(PoolEvent.Started.class));
            try (TestWorker successor = workers.join(third)) {
                workers.leave("default-1", first);
                try (TestWorker last = workers.join("default-4")) {
                    assertDone(2, reloaded);
                    workers.leave("default-2", second);
                    assertFalse(successor.hasMessage());
                    assertFalse(last.hasMessage());
                }
            }
        }
    }

    @Test
    void aVersionThatDoesNotStartKeepsTheOldOneAndSaysWhy() throws IOException {
        superviseScript(StartedWorkers.TELLS_TOKEN, 2);
        try (TestWorker first = workers.join("default-1");
                TestWorker second = workers.join("default-2")) {
            writeScript("echo 'syntax error near line 7' >&2; exit 3");
            CompletableFuture<PoolChange> reloaded = pool.pool.reload();
            PoolChange.Failed failed = assertFailed(reloaded);
            assertEquals(0, failed.workers());
            assertEquals(
                    new WorkerError(
                            "default-3",
                            "exit code 3 before it was ready",
                            List.of("syntax error near line 7")),
                    failed.error());
            assertEquals(
                    new PoolEvent.NotReplaced("default-1", failed.error(), ReplaceCause.RELOAD),
                    pool.events.await(PoolEvent.NotReplaced.class));
            assertEquals(-1, workers.awaitExit("default-3").restartMillis());
            assertEquals(
                    "default-3: exit code 3 before it was ready (syntax error near line 7)",
                    pool.snapshot().lastError());
            assertServes(second);
            assertServes(first);

            writeScript(StartedWorkers.TELLS_TOKEN);
            CompletableFuture<PoolChange> again = pool.pool.reload();
            try (TestWorker successor = workers.join("default-3")) {
                assertFalse(again.isDone());
                assertServes(successor);
                assertEquals("", pool.snapshot().lastError());
            }
        }
    }

    @Test
    void forgetsWhyAVersionDidNotStartWhenAnotherProcessDoes() throws IOException {
        superviseScript(StartedWorkers.TELLS_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            writeScript("exit 3");
            TestLoops.await(pool.pool.reload());
            assertServes(old);
            assertEquals("default-2: exit code 3 before it was ready", pool.snapshot().lastError());

            writeScript(StartedWorkers.TELLS_TOKEN);
            CompletableFuture<PoolChange> scaled = pool.pool.scale(2);
            try (TestWorker added = workers.join("default-2")) {
                TestLoops.await(scaled);
                assertServes(added);
                assertEquals("", pool.snapshot().lastError());
            }
        }
    }

    @Test
    void aCommandThatIsGoneKeepsTheOldWorker() throws IOException {
        Path program = folder.resolve("handler");
        Files.writeString(program, "#!/bin/sh\n" + StartedWorkers.TELLS_TOKEN + "\n");
        assertTrue(program.toFile().setExecutable(true));
        pool.supervise(List.of(program.toString()), 1);
        try (TestWorker old = workers.join("default-1")) {
            Files.delete(program);
            PoolChange.Failed failed = assertFailed(pool.pool.reload());
            assertEquals("cannot be started: cannot execute " + program, failed.error().reason());
            assertServes(old);
        }
    }

    @Test
    void aSuccessorThatDoesNotGetReadyInTimeIsEnded() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> reloaded = pool.pool.reload();
            workers.await("default-2");
            pool.advance(ProcessRun.START_TIMEOUT);
            PoolChange.Failed failed = assertFailed(reloaded);
            assertEquals("did not get ready within 60 s", failed.error().reason());
            old.expect(Message.Ping.class);
            old.send(new Message.Pong());
            assertServes(old);
        }
    }

    @Test
    void aSuccessorThatLeavesBeforeItIsReadyHasFailed() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> reloaded = pool.pool.reload();
            try (TestWorker successor = workers.join(workers.await("default-2"), 0)) {
                successor.send(new Message.Drain());
                assertTrue(successor.remaining().isEmpty());
            }
            pool.events.await(PoolEvent.Left.class);
            pool.advance(ProcessRun.LEAVE_GRACE);
            assertFailed(reloaded);
            assertServes(old);
        }
    }

    @Test
    void anOldWorkerThatIsKilledMeanwhileCostsNoPlace() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        StartedWorkers.Started killed = workers.await("default-1");
        TestWorker old = workers.join(killed);
        CompletableFuture<PoolChange> reloaded = pool.pool.reload();
        StartedWorkers.Started started = workers.await("default-2");
        Processes.kill(killed.pid());
        old.die();
        workers.awaitExit("default-1");
        try (TestWorker successor = workers.join(started)) {
            assertDone(1, reloaded);
            pool.advance(Duration.ofSeconds(1));
            assertServes(successor);
            pool.await(snapshot -> snapshot.workers().size() == 1);
        }
    }

    @Test
    void anOldWorkerThatIsKilledWhileItsSuccessorFailsIsStartedAgain() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        StartedWorkers.Started killed = workers.await("default-1");
        TestWorker old = workers.join(killed);
        CompletableFuture<PoolChange> reloaded = pool.pool.reload();
        StartedWorkers.Started successor = workers.await("default-2");
        Processes.kill(killed.pid());
        old.die();
        workers.awaitExit("default-1");
        Processes.kill(successor.pid());
        assertFailed(reloaded);
        pool.advance(Duration.ofSeconds(1));
        try (TestWorker again = workers.join("default-1")) {
            assertServes(again);
        }
    }

    @Test
    void aReloadDuringAReloadFollowsIt() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> first = pool.pool.reload();
            StartedWorkers.Started second = workers.await("default-2");
            CompletableFuture<PoolChange> next = pool.pool.reload();
            CompletableFuture<PoolChange> coalesced = pool.pool.reload();
            pool.loops.awaitIdle();
            try (TestWorker successor = workers.join(second)) {
                assertDone(1, first);
                assertFalse(next.isDone());
                workers.leave("default-1", old);
                try (TestWorker last = workers.join("default-3")) {
                    assertDone(1, next);
                    assertDone(1, coalesced);
                    successor.expect(Message.Drain.class);
                    assertServes(last);
                }
            }
        }
        assertEquals(2, pool.events.heard(PoolEvent.Reload.class).size());
    }

    @Test
    void aReloadThatMakesNoHeadwayIsOvertaken() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> first = pool.pool.reload();
            workers.await("default-2");
            pool.advance(Replacements.OVERTAKEN);
            CompletableFuture<PoolChange> next = pool.pool.reload();
            assertRefused(first);
            assertTrue(workers.awaitExit("default-2").exit().expected());
            try (TestWorker successor = workers.join("default-3")) {
                assertDone(1, next);
                assertFalse(successor.hasMessage());
                workers.leave("default-1", old);
            }
        }
    }

    @Test
    void aReloadThatComesEarlyOvertakesWhenTheOtherHasHadItsTime() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 1);
        try (TestWorker old = workers.join("default-1")) {
            CompletableFuture<PoolChange> first = pool.pool.reload();
            workers.await("default-2");
            CompletableFuture<PoolChange> next = pool.pool.reload();
            pool.advance(Replacements.OVERTAKEN);
            assertRefused(first);
            try (TestWorker successor = workers.join("default-3")) {
                assertDone(1, next);
                assertFalse(successor.hasMessage());
                workers.leave("default-1", old);
            }
        }
    }

    @Test
    void aStopDuringAReloadEndsBoth() throws IOException {
        pool.supervise(StartedWorkers.TELL_TOKEN, 2);
        try (TestWorker first = workers.join("default-1");
                TestWorker second = workers.join("default-2")) {
            CompletableFuture<PoolChange> reloaded = pool.pool.reload();
            CompletableFuture<PoolChange> next = pool.pool.reload();
            StartedWorkers.Started successor = workers.await("default-3");
            CompletableFuture<Void> drained = pool.pool.drain();
            PoolChange stopped = new PoolChange.Refused("the pool is draining");
            assertEquals(stopped, TestLoops.await(reloaded));
            assertEquals(stopped, TestLoops.await(next));
            assertTrue(workers.awaitExit("default-3").exit().expected());
            workers.leave("default-1", first);
            workers.leave("default-2", second);
            TestLoops.await(drained);
            assertFalse(Processes.isRunning(successor.pid()));
            assertEquals(stopped, TestLoops.await(pool.pool.reload()));
        }
    }

    /** What was tried again with a growing wait is tried at once when somebody says it changed. */
    @Test
    void aCrashLoopEndsWithAVersionThatStarts() throws IOException {
        superviseScript("exit 1", 1);
        for (int i = 0; i < 8; i++) {
            PoolEvent.Exited exited = workers.awaitExit("default-1");
            if (i < 7) {
                pool.advance(Duration.ofMillis(exited.restartMillis() + 1));
            }
        }
        pool.await(snapshot -> snapshot.workers().getFirst().state().equals("waiting"));
        assertEquals(8, pool.snapshot().workers().getFirst().restarts());
        writeScript(StartedWorkers.TELLS_TOKEN);
        CompletableFuture<PoolChange> reloaded = pool.pool.reload();
        try (TestWorker successor = workers.join("default-2")) {
            assertDone(1, reloaded);
            assertServes(successor);
            assertEquals(1, pool.snapshot().workers().size());
        }
    }

    @Test
    void aPoolOfWorkersStartedElsewhereCannotBeReloaded() {
        assertRefused(pool.pool.reload());
        assertRefused(pool.pool.scale(2));
    }

    private void assertServes(TestWorker worker) throws IOException {
        while (!worker.hasMessage()) {
            String target = "/" + asked.size();
            asked.put(target, pool.get(target));
        }
        Message.Request request = worker.request();
        worker.answer(request, "served");
        TestExchange exchange = asked.get(request.target());
        assertNotNull(exchange);
        exchange.assertResponse("served");
    }
}

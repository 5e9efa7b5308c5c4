package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Processes that are started, watched and started again. */
final class SupervisionTest extends SupervisedPool {
    /** As long as the first back-off can be. */
    private static final Duration FIRST_BACK_OFF = Duration.ofNanos(BackOff.FIRST_NANOS);

    @Test
    void workersJoinWithTheirTokens() {
        pool.supervise(Processes.python("good"), 3);
        Set<String> joined = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            joined.add(pool.events.await(PoolEvent.Joined.class).worker());
        }
        assertEquals(Set.of("default-1", "default-2", "default-3"), joined);
        pool.get("/").assertResponse("good");
    }

    @Test
    void aWorkerFindsWhatItNeedsInItsEnvironment() {
        pool.supervise(
                Processes.shell(
                        "echo $HANDOFF_SOCKET $HANDOFF_POOL $HANDOFF_WORKER ${#HANDOFF_TOKEN};"
                                + " echo $HOME >&2"),
                1);
        assertEquals(
                pool.path + " default default-1 32", output(ProcessListener.Output.STDOUT).line());
        assertEquals(System.getenv("HOME"), output(ProcessListener.Output.STDERR).line());
        awaitExit();
    }

    @Test
    void eachStartHasATokenOfItsOwn() {
        pool.supervise(Processes.shell("echo $HANDOFF_TOKEN"), 1);
        String first = output(ProcessListener.Output.STDOUT).line();
        awaitExit();
        pool.advance(FIRST_BACK_OFF);
        assertNotEquals(first, output(ProcessListener.Output.STDOUT).line());
        awaitExit();
    }

    @Test
    void nobodyElseMayJoin() throws IOException {
        pool.supervise(Processes.python("good"), 1);
        pool.events.await(PoolEvent.Joined.class);
        String[] tokens = {null, "", "0".repeat(32)};
        for (String token : tokens) {
            try (TestWorker stranger = TestWorker.connect(pool.path)) {
                stranger.send(TestWorker.hello(1, "default", token, 1));
                assertEquals(
                        "bad_token",
                        assertInstanceOf(Message.Refused.class, stranger.remaining().getFirst())
                                .code());
            }
        }
    }

    @Test
    void aKilledWorkerIsReplaced() {
        pool.supervise(Processes.python("good"), 1);
        long first = pool.events.await(PoolEvent.Started.class).pid();
        pool.events.await(PoolEvent.Joined.class);
        Processes.kill(first);
        PoolEvent.Exited exited = awaitExit();
        assertEquals(first, exited.exit().pid());
        assertEquals("signal 9", exited.exit().describe());
        assertFalse(exited.exit().expected());

        pool.advance(FIRST_BACK_OFF);
        assertNotEquals(first, pool.events.await(PoolEvent.Started.class).pid());
        pool.events.await(PoolEvent.Joined.class);
        pool.get("/").assertResponse("good");
    }

    @Test
    void aProcessThatEndsWithoutAHelloIsToldForItself() {
        pool.supervise(Processes.python("dies_at_start"), 1);
        assertEquals(
                new PoolEvent.NeverJoined("default-1"),
                pool.events.await(PoolEvent.NeverJoined.class));
        awaitExit();
    }

    @Test
    void aFirstStartThatAllProcessesFailIsToldOnce() {
        pool.supervise(Processes.shell("exit 3"), 2);
        awaitExit();
        awaitExit();
        pool.events.await(PoolEvent.FirstStartFailed.class);
        pool.advance(FIRST_BACK_OFF);
        awaitExit();
        awaitExit();
        assertEquals(List.of(), pool.events.heard(PoolEvent.FirstStartFailed.class));
    }

    @Test
    void aWorkerThatJoinedIsNotToldForItself() {
        pool.supervise(Processes.python("good"), 1);
        long pid = pool.events.await(PoolEvent.Started.class).pid();
        pool.events.await(PoolEvent.Joined.class);
        Processes.kill(pid);
        awaitExit();
        assertEquals(List.of(), pool.events.heard(PoolEvent.NeverJoined.class));
    }

    @Test
    void aWorkersCountsGoOnWithItsNextProcess() {
        pool.supervise(Processes.python("good"), 1);
        for (int process = 1; process <= 2; process++) {
            long pid = pool.events.await(PoolEvent.Started.class).pid();
            pool.events.await(PoolEvent.Joined.class);
            pool.get("/").response();
            assertEquals(process, pool.snapshot().workers().getFirst().counts().requests());
            Processes.kill(pid);
            awaitExit();
            pool.advance(FIRST_BACK_OFF);
        }
    }

    @Test
    void aWorkerThatServedLongIsReplacedAtOnce() {
        pool.supervise(Processes.python("good"), 1);
        long first = pool.events.await(PoolEvent.Started.class).pid();
        pool.events.await(PoolEvent.Joined.class);
        pool.advance(Duration.ofNanos(BackOff.HEALTHY_NANOS));
        Processes.kill(first);
        assertEquals(0, awaitExit().restartMillis());
        pool.events.await(PoolEvent.Joined.class);
    }

    @Test
    void anExitThatNobodyAskedForIsACrash() {
        pool.supervise(Processes.shell("exit 0"), 1);
        for (int i = 0; i < 2; i++) {
            PoolEvent.Exited exited = awaitExit();
            assertEquals(0, exited.exit().code());
            assertFalse(exited.exit().expected());
            assertTrue(exited.restartMillis() > 0);
            pool.advance(FIRST_BACK_OFF);
        }
    }

    @Test
    void aCommandThatDoesNotExistIsTold() {
        pool.supervise(List.of("no-such-program"), 1);
        for (long longest : new long[] {100, 100, 200, 400}) {
            PoolEvent.StartFailed failed = pool.events.await(PoolEvent.StartFailed.class);
            assertEquals("cannot execute no-such-program", failed.reason());
            assertTrue(failed.restartMillis() >= longest / 2, failed.toString());
            assertTrue(failed.restartMillis() <= longest, failed.toString());
            pool.advance(Duration.ofMillis(longest));
        }
    }

    @Test
    void anEnvironmentThatCannotBeIsTold() {
        WorkerCommand command = new WorkerCommand(List.of("true"), Map.of("a\0b", "c"), pool.path);
        pool.pool.supervise(command, 1, Processes.STARTER);
        assertFalse(pool.events.await(PoolEvent.StartFailed.class).reason().isEmpty());
        TestLoops.await(pool.pool.drain());
    }

    /** The time to join is that of the process that runs, not of one that could not start. */
    @Test
    void aFailedStartDoesNotEndALaterProcess() throws IOException {
        Path late = folder.resolve("late");
        pool.supervise(List.of(late.toString()), 1);
        pool.events.await(PoolEvent.StartFailed.class);
        String python = String.join(" ", Processes.python("good"));
        Files.writeString(late, "#!/bin/sh\nexec " + python + "\n");
        Files.setPosixFilePermissions(late, PosixFilePermissions.fromString("rwx------"));

        pool.advance(FIRST_BACK_OFF);
        pool.events.await(PoolEvent.Joined.class);
        pool.advance(ProcessRun.START_TIMEOUT);
        pool.get("/").assertResponse("good");
        assertEquals(List.of(), pool.events.heard(PoolEvent.Exited.class));
    }

    @Test
    void tellsOfAProcessThatDoesNotConnectWhereItListens() throws IOException {
        pool.supervise(
                Processes.shell(String.join(" ", Processes.python("listens_itself")) + " & wait"),
                1);
        int port = Integer.parseInt(output(ProcessListener.Output.STDOUT).line());
        PoolEvent.Started started = pool.events.await(PoolEvent.Started.class);
        pool.advance(ProcessRun.HELLO_NOTICE.minusNanos(1));
        assertEquals(List.of(), pool.events.heard(PoolEvent.Unconnected.class));
        pool.advance(Duration.ofNanos(1));
        PoolEvent.Unconnected told = pool.events.await(PoolEvent.Unconnected.class);
        assertEquals(started.pid(), told.pid());
        assertEquals(ResidentMemory.isKnown() ? Set.of(port) : Set.of(), told.ports());
    }

    @Test
    void tellsNothingOfAProcessThatHasConnected() throws IOException {
        pool.supervise(Processes.python("good"), 1);
        pool.events.await(PoolEvent.Joined.class);
        pool.advance(ProcessRun.HELLO_NOTICE);
        pool.get("/").assertResponse("good");
        assertEquals(List.of(), pool.events.heard(PoolEvent.Unconnected.class));
    }

    @Test
    void childrenEndWithTheirWorker() throws IOException {
        pool.supervise(Processes.shell("sleep 1000 & echo $!; wait"), 1);
        long worker = pool.events.await(PoolEvent.Started.class).pid();
        long child = Long.parseLong(output(ProcessListener.Output.STDOUT).line());
        assertTrue(Processes.isRunning(child));
        Processes.kill(worker);
        Processes.awaitEnd(child);
        awaitExit();
    }

    @Test
    void anExitIsToldThoughAChildLeftTheGroupWithTheStreams() throws IOException {
        pool.supervise(Processes.shell("setsid sleep 1000 & echo $!; exit 4"), 1);
        long child = Long.parseLong(output(ProcessListener.Output.STDOUT).line());
        assertEquals(4, awaitExit().exit().code());
        Processes.kill(child);
        Processes.awaitEnd(child);
    }

    private PoolEvent.Output output(ProcessListener.Output stream) {
        return pool.events.await(PoolEvent.Output.class, output -> output.stream() == stream);
    }

    private PoolEvent.Exited awaitExit() {
        return pool.events.await(PoolEvent.Exited.class);
    }
}

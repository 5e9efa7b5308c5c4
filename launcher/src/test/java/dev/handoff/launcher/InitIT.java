package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What process 1 of a container has to do. */
class InitIT extends EndToEnd {
    private static final String HELLO = "examples-python/hello.py";

    /** Its grandchildren have no parent any more, and end before it says so. */
    private static final String LEAVES_ORPHANS =
            "(setsid sleep 0.01 & sleep 0.01 &); sleep 0.2; echo orphans; exec python3 " + HELLO;

    @BeforeEach
    void assumeNamespaces() throws InterruptedException {
        assumeTrue(HandoffProcess.canStartAsInit(), "no process table of its own is allowed here");
    }

    @Test
    void reapsWhatWorkersLeaveBehind() throws Exception {
        HandoffProcess handoff = start("--", "sh", "-c", LEAVES_ORPHANS);
        handoff.stdout().await("default-1 | orphans"::equals);
        assertEquals(200, client(handoff).ask("/").status());
        Await.until("the end of the orphans", () -> zombiesOf(handoff.init()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void drainsAndExitsLikeTheServer(String signal) throws Exception {
        assumeFalse(
                signal.equals("INT") && StopIT.isInterruptIgnored(),
                "INT is ignored here, so a shell cannot trap it");
        HandoffProcess handoff = start(Distribution.testWorker("announces.py"));
        RawClient slow = client(handoff);
        slow.get("/slow?delay=500");
        handoff.stdout().await("default-1 | took /slow?delay=500"::equals);
        HandoffProcess.signal(signal, handoff.init());
        assertEquals(200, slow.readResponse().status());
        assertEquals(0, handoff.awaitExit());
    }

    @Test
    void exitsLikeAServerThatCannotStart() throws Exception {
        HandoffProcess handoff = handoffAsInit("run", "--port", "x", HELLO);
        assertEquals(ExitCode.BAD_USAGE, handoff.awaitExit());
    }

    @Test
    void passesOnWhatOperatorsAskFor() throws Exception {
        HandoffProcess handoff = start(HELLO);
        assertEquals(200, client(handoff).ask("/").status());
        HandoffProcess.signal("HUP", handoff.init());
        handoff.stderr().await(line -> line.endsWith("reload: done, 1 worker replaced"));
        HandoffProcess.signal("USR1", handoff.init());
        handoff.stderr().await(line -> line.contains("requests in hand in pool default: 0"));
        HandoffProcess.signal("USR2", handoff.init());
        handoff.stderr().await(line -> line.contains("there is no access log to open anew"));
        assertEquals(200, client(handoff).ask("/").status());
    }

    @Test
    void stopsAtOnceOnTheSecondSignal() throws Exception {
        HandoffProcess handoff = start(Distribution.testWorker("announces.py"));
        client(handoff).get("/slow?delay=60000");
        handoff.stdout().await("default-1 | took /slow?delay=60000"::equals);
        HandoffProcess.signal("TERM", handoff.init());
        handoff.stderr().await(line -> line.contains("finishing the requests in hand"));
        HandoffProcess.signal("TERM", handoff.init());
        assertEquals(ExitCode.FAILED, handoff.awaitExit());
    }

    private HandoffProcess start(String... fileOrCommand) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "--port", "0"));
        arguments.addAll(List.of("--admin-port", "0", "--workers", "1"));
        arguments.addAll(List.of(fileOrCommand));
        HandoffProcess handoff = handoffAsInit(arguments.toArray(String[]::new));
        assertTrue(handoff.port() > 0);
        return handoff;
    }

    /** Children that have ended and that it has not collected yet. */
    private static List<Path> zombiesOf(long parent) {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(process -> isZombieOf(parent, process)).toList();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static boolean isZombieOf(long parent, Path process) {
        try {
            String stat = Files.readString(process.resolve("stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).startsWith("Z " + parent + " ");
        } catch (IOException noProcess) {
            return false;
        }
    }
}

package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.process.Processes;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shell that ends groups; {@link OrphanTest} has what becomes of them behind a killed core. */
@Tag("processes")
final class ProcessGroupsTest {
    /** A leader and a child of it, which prints its pid. */
    private static final List<String> GROUP =
            List.of("setsid", "sh", "-c", "sh -c 'echo $$; sleep 600'; exit");

    private final ProcessGroups groups = new ProcessGroups();
    private final List<Process> started = new ArrayList<>();

    /** Those of other tests. */
    private final List<ProcessHandle> others = shells();

    @BeforeEach
    void needsGroups() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "there is no setsid");
    }

    @AfterEach
    void endAll() {
        for (Process each : started) {
            groups.end(each.pid());
            each.destroyForcibly();
        }
        ours().forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void endsTheOneThatItIsToldAndNoOther() throws IOException {
        Process first = start();
        Process second = start();
        long child = child(first);
        long other = child(second);
        groups.end(first.pid());
        Processes.awaitEnd(child);
        Processes.awaitEnd(first.pid());
        assertTrue(Processes.isRunning(other));
        assertTrue(second.isAlive());
    }

    @Test
    void endsWhatALeaderThatHasEndedLeftBehind() throws IOException {
        Process leader = start();
        long child = child(leader);
        leader.destroyForcibly();
        Processes.awaitEnd(leader.pid());
        assertTrue(Processes.isRunning(child));
        groups.end(leader.pid());
        Processes.awaitEnd(child);
    }

    /** For want of memory, say. */
    @Test
    void aShellThatWasKilledHasASuccessorThatKnowsAll() throws IOException {
        Process before = start();
        long child = child(before);
        ProcessHandle killed = shell();
        killed.destroyForcibly();
        Processes.awaitEnd(killed.pid());

        Process after = start();
        child(after);
        ProcessHandle successor = shell();
        groups.end(after.pid());
        Processes.awaitEnd(after.pid());
        assertTrue(before.isAlive());
        groups.end(before.pid());
        Processes.awaitEnd(child);
        assertTrue(successor.isAlive());
    }

    @Test
    void noOtherProcessIsTakenForTheShell() throws IOException {
        assertFalse(ProcessGroups.isShell(start().toHandle()));
        assertFalse(ProcessGroups.isShell(ProcessHandle.current()));
    }

    private Process start() throws IOException {
        Process process = new ProcessBuilder(GROUP).start();
        started.add(process);
        groups.started(process.pid());
        return process;
    }

    private static long child(Process leader) throws IOException {
        try (BufferedReader output = leader.inputReader()) {
            return Long.parseLong(output.readLine());
        }
    }

    private ProcessHandle shell() {
        List<ProcessHandle> running = ours();
        assertEquals(1, running.size());
        return running.getFirst();
    }

    private List<ProcessHandle> ours() {
        return shells().stream().filter(each -> !others.contains(each)).toList();
    }

    private static List<ProcessHandle> shells() {
        return ProcessHandle.current()
                .children()
                .filter(ProcessGroups::isShell)
                .filter(each -> Processes.isRunning(each.pid()))
                .toList();
    }
}

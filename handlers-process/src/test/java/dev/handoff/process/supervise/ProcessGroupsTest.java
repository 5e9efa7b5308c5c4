package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.process.Processes;
import dev.handoff.testing.TestLoops;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shell that ends groups; {@link OrphanTest} has what becomes of them behind a killed core. */
@Tag("processes")
final class ProcessGroupsTest {
    /** Before the number that the next process gets. */
    private static final Path LAST_PID = Path.of("/proc/sys/kernel/ns_last_pid");

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final ProcessGroups groups = new ProcessGroups(thread);
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
            end(each.pid());
            each.destroyForcibly();
        }
        thread.shutdown();
        ours().forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void endsTheOneThatItIsToldAndNoOther() throws IOException {
        Process first = start();
        Process second = start();
        long child = child(first);
        long other = child(second);
        end(first.pid());
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
        end(leader.pid());
        Processes.awaitEnd(child);
    }

    @Test
    void endsWhatHasAGroupOfItsOwnToo() throws IOException {
        Process leader = start("timeout 600 sh -c 'echo $$; sleep 600'; exit");
        long child = child(leader);
        end(leader.pid());
        Processes.awaitEnd(leader.pid());
        Processes.awaitEnd(child);
    }

    /** Which may be busy, or be stopped. */
    @Test
    void whatHasLeftTheGroupEndsWithoutTheShell() throws Exception {
        Process leader = start("timeout 600 sh -c 'echo $$; sleep 600'; exit");
        long child = child(leader);
        long shell = shell().pid();
        signal("STOP", shell);
        leader.destroyForcibly();
        end(leader.pid());
        Processes.awaitEnd(child);
        signal("CONT", shell);
    }

    /** Once a process has ended, any other may get its number. */
    @Test
    void aProcessThatGotTheNumberOfALeaderStays() throws Exception {
        assumeTrue(Files.isWritable(LAST_PID), "only root chooses numbers");
        Process leader = start("exec sleep 600");
        // Linux counts hundredths of a second. No number comes again so soon by itself.
        assertFalse(leader.waitFor(50, TimeUnit.MILLISECONDS));
        kill(leader);
        Process other = startWithNumber(leader.pid());
        end(leader.pid());

        Process last = start("timeout 600 sh -c 'echo $$; sleep 600'; exit");
        long lastChild = child(last);
        end(last.pid());
        Processes.awaitEnd(lastChild); // so the shell and the sweep have dealt with the first
        assertFalse(other.waitFor(100, TimeUnit.MILLISECONDS));
    }

    /** Any process gives itself one, and it stands before what the shell looks for. */
    @Test
    void whatANameHoldsMakesNoDifference(@TempDir Path folder) throws IOException {
        Path sleep = Files.copy(Path.of("/bin/sleep"), folder.resolve(") Z 1\n) * ("));
        Process leader =
                start("timeout 600 sh -c 'echo $$; exec \"$0\" 600' '%s'; exit".formatted(sleep));
        long child = child(leader);
        end(leader.pid());
        Processes.awaitEnd(leader.pid());
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
        end(after.pid());
        Processes.awaitEnd(after.pid());
        assertTrue(before.isAlive());
        end(before.pid());
        Processes.awaitEnd(child);
        assertTrue(successor.isAlive());
    }

    @Test
    void theSuccessorIsThereBeforeItIsNeeded() throws IOException {
        child(start());
        ProcessHandle killed = shell();
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(1100)) {
            Thread.onSpinWait();
        }
        killed.destroyForcibly();
        long deadline = System.nanoTime() + TestLoops.PATIENCE.toNanos();
        while (ours().stream().allMatch(killed::equals)) {
            assertTrue(System.nanoTime() - deadline < 0, "it has none");
        }
    }

    @Test
    void noOtherProcessIsTakenForTheShell() throws IOException {
        assertFalse(ProcessGroups.isShell(start().toHandle()));
        assertFalse(ProcessGroups.isShell(ProcessHandle.current()));
    }

    /** In a session and a group that it leads. */
    private Process startWithNumber(long pid) throws Exception {
        for (int attempt = 0; attempt < 100; attempt++) {
            Files.writeString(LAST_PID, Long.toString(pid - 1));
            Process process = new ProcessBuilder("setsid", "sleep", "600").start();
            started.add(process);
            if (process.pid() == pid) {
                return process;
            }
            kill(process);
        }
        throw new AssertionError("others took the number " + pid);
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    private static void signal(String name, long pid) throws Exception {
        String command = "kill -%s %d".formatted(name, pid);
        assertEquals(0, new ProcessBuilder("sh", "-c", command).start().waitFor());
    }

    private Process start() throws IOException {
        return start("sh -c 'echo $$; sleep 600'; exit");
    }

    private Process start(String script) throws IOException {
        Process process = new ProcessBuilder("setsid", "sh", "-c", script).start();
        started.add(process);
        on(() -> groups.started(process));
        return process;
    }

    private void end(long pid) {
        on(() -> groups.end(pid));
    }

    private void on(Runnable action) {
        CompletableFuture.runAsync(action, thread).join();
    }

    /** The one that the leader has started, which prints its pid. */
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

package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.Processes;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Neither a worker nor what it has started outlives the core, however that ends. */
@Tag("processes")
final class OrphanTest {
    /** Has no socket whose end would tell it, and no ear for signals. */
    private static final List<String> DEAF =
            Processes.shell("trap '' TERM HUP INT PIPE; echo $$; while :; do sleep 1; done");

    /** As {@code npm start} does. */
    private static final List<String> DEAF_CHILD =
            Processes.shell("sh -c \"trap '' TERM HUP INT PIPE; echo \\$\\$; sleep 600\"; exit");

    /** Has a process group of its own. */
    private static final List<String> DEAF_GROUP =
            Processes.shell(
                    "timeout 600 sh -c \"trap '' TERM HUP INT PIPE; echo \\$\\$; sleep 600\"; exit");

    @TempDir private Path folder;

    @Test
    void processesEndWithAKilledCore() throws IOException {
        endWithAKilledCore(DEAF);
    }

    @Test
    void whatTheyHaveStartedEndsWithAKilledCoreToo() throws IOException {
        endWithAKilledCore(DEAF_CHILD);
    }

    @Test
    void whatHasAGroupOfItsOwnEndsToo() throws IOException {
        endWithAKilledCore(DEAF_GROUP);
    }

    private void endWithAKilledCore(List<String> command) throws IOException {
        Process core = startCore(command);
        List<Long> workers = new ArrayList<>();
        try (BufferedReader output = core.inputReader()) {
            workers.add(Long.parseLong(output.readLine()));
            workers.add(Long.parseLong(output.readLine()));
            for (long worker : workers) {
                assertTrue(Processes.isRunning(worker));
            }
            core.destroyForcibly();
            for (long worker : workers) {
                Processes.awaitEnd(worker);
            }
        } finally {
            core.destroyForcibly();
            workers.forEach(Processes::kill);
        }
    }

    private Process startCore(List<String> worker) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(CoreInChild.class.getName());
        command.add(folder.resolve("s").toString());
        command.addAll(worker);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}

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

/** A worker never outlives the core, however that ends. */
@Tag("processes")
final class OrphanTest {
    /** Has no socket whose end would tell it, and no ear for signals. */
    private static final List<String> DEAF =
            Processes.shell("trap '' TERM HUP INT PIPE; echo $$; while :; do :; done");

    @TempDir private Path folder;

    @Test
    void processesEndWithAKilledCore() throws IOException {
        Process core = startCore();
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

    private Process startCore() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(CoreInChild.class.getName());
        command.add(folder.resolve("s").toString());
        command.addAll(DEAF);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}

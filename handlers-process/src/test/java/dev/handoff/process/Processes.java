package dev.handoff.process;

import dev.handoff.process.supervise.ProcessStarter;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Commands to start in tests, and a look at what became of them. */
public final class Processes {
    public static final int KILLED = 128 + 9;
    public static final int TERMINATED = 128 + 15;

    /** One for all tests: processes end with its thread. */
    public static final ProcessStarter STARTER = new ProcessStarter(System.getenv("PATH"));

    private static final Path SCRIPTS =
            Path.of(System.getProperty("handoff.root"), "handlers-process/src/test/workers")
                    .toAbsolutePath()
                    .normalize();

    private Processes() {}

    /** A worker of {@code src/test/workers}, where those of all modules are. */
    public static List<String> python(String script) {
        return List.of("python3", SCRIPTS.resolve(script + ".py").toString());
    }

    /** Worker 1 of a pool is the given one, the others are good. */
    public static List<String> onlyFirst(String script) {
        return shell(
                """
                case $HANDOFF_WORKER in *-1) script=%s ;; *) script=good ;; esac
                exec python3 '%s'/$script.py
                """
                        .formatted(script, SCRIPTS));
    }

    public static List<String> shell(String script) {
        return List.of("sh", "-c", script);
    }

    public static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    /** Waits for the end of a process that need not be a child of ours. */
    public static void awaitEnd(long pid) {
        long deadline = System.nanoTime() + TestLoops.PATIENCE.toNanos();
        while (isRunning(pid)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("process " + pid + " is still there");
            }
            Thread.onSpinWait();
        }
    }

    /** A process that has ended but that its parent has not asked for counts as gone. */
    public static boolean isRunning(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }
}

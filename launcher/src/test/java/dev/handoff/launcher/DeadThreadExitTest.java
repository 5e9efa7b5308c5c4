package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.launcher.logging.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In a process each, as each ends with it. */
class DeadThreadExitTest {
    private static final String RUNS = "it runs";
    private static final int PIPE_AND_MORE = 1 << 20;

    /** A process of which a thread dies while the others would go on for ever. */
    static final class Dying {
        private Dying() {}

        public static void main(String[] arguments) throws InterruptedException {
            Thread.setDefaultUncaughtExceptionHandler(new DeadThreadExit());
            Console.STDOUT.print(RUNS);
            if (arguments[0].equals("unread")) {
                Thread.ofPlatform().start(() -> Console.STDERR.print("x".repeat(PIPE_AND_MORE)));
            }
            Thread.ofPlatform().name("loop-1").start(() -> die(arguments[0]));
            new CountDownLatch(1).await();
        }

        private static void die(String how) {
            throw how.equals("full") ? new Untellable() : new IllegalStateException("the reason");
        }
    }

    /** As with a full heap, there is no room for a description. */
    private static final class Untellable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("no room");
        }
    }

    @Test
    void saysWhichThreadDiedAndWhyBeforeTheProcessEnds() throws Exception {
        Process process = start("bug");
        String told = told(process);
        assertEquals(ExitCode.FAILED, exitCode(process));
        assertTrue(told.contains("ERROR thread loop-1 died"), told);
        assertTrue(told.contains("IllegalStateException: the reason"), told);
    }

    @Test
    void hasWordsThatTakeNoMemory() throws Exception {
        Process process = start("full");
        String told = told(process);
        assertEquals(ExitCode.FAILED, exitCode(process));
        assertTrue(told.contains("handoff: a thread died"), told);
    }

    @Test
    void endsTheProcessWhoseWordsNobodyReads() throws Exception {
        assertEquals(ExitCode.FAILED, exitCode(start("unread")));
    }

    /** When one dies, the system may have no thread left to start. */
    @Test
    void hasTheThreadThatTellsFromTheStart() {
        var _ = new DeadThreadExit();
        assertTrue(
                Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().equals("handoff-dead-thread")));
    }

    private static Process start(String how) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Dying.class.getName(),
                        how)
                .start();
    }

    private static String told(Process process) throws IOException {
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static int exitCode(Process process) throws IOException, InterruptedException {
        try {
            assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it still runs");
            assertEquals(RUNS, process.inputReader().readLine());
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}

package dev.handoff.process.supervise;

import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends processes, and the groups that they lead. It has a thread of its own, so that a program on a
 * disk which does not answer keeps no other from being ended while it starts. May be called from
 * any thread.
 */
final class ProcessSignals {
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().name("handoff-process-signals").daemon().factory());

    private final boolean ownGroup;

    /**
     * @param ownGroup whether each process leads a group of its own
     */
    ProcessSignals(boolean ownGroup) {
        this.ownGroup = ownGroup;
        // Later the machine may have no thread left.
        thread.prestartCoreThread();
    }

    /** Asks a process to end. */
    void terminate(Process process) {
        thread.execute(process::destroy);
    }

    /** Ends a process and all of its group. */
    void kill(Process process) {
        thread.execute(() -> {
            killGroup(process.pid());
            process.destroyForcibly();
        });
    }

    /** Ends the processes that one which ended has left behind in its group. */
    void clearGroup(long pid) {
        thread.execute(() -> killGroup(pid));
    }

    private void killGroup(long pid) {
        if (!ownGroup) {
            return;
        }
        try {
            // Java can signal single processes only; the shell has a kill of its own everywhere.
            new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + pid)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException | RuntimeException | OutOfMemoryError noShell) {
            // The process itself is signalled all the same, and its children are left to init. An
            // error, such as having no thread left for the shell, must not end this thread: then
            // there might be none to signal with.
        }
    }
}

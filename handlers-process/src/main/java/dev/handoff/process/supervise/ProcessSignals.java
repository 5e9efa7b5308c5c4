package dev.handoff.process.supervise;

import java.io.IOException;
import java.util.concurrent.Executor;

/** Ends processes, and the groups that they lead. May be called from any thread. */
final class ProcessSignals {
    private final Executor thread;
    private final boolean ownGroup;

    /**
     * @param thread on which signals are sent: that on which processes are started
     * @param ownGroup whether each process leads a group of its own
     */
    ProcessSignals(Executor thread, boolean ownGroup) {
        this.thread = thread;
        this.ownGroup = ownGroup;
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
            // error, such as having no thread left for the shell, must not end this thread: with
            // it every worker would get its death signal.
        }
    }
}

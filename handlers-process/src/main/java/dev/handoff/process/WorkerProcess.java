package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One running process that the core started. What it writes is relayed by two threads of its own;
 * its end is told on the pool's loop, after its last line.
 */
final class WorkerProcess {
    /** A process that left the group may hold the streams open; its parent's end is told anyway. */
    private static final long LAST_LINES_MILLIS = 500;

    private final Process process;
    private final ProcessStarter starter;

    private WorkerProcess(Process process, ProcessStarter starter) {
        this.process = process;
        this.starter = starter;
    }

    /** Begins to relay and to wait for the end. Called on the starter's thread. */
    static void watch(Process process, WorkerSlot slot, WorkerPool pool, ProcessStarter starter) {
        WorkerProcess running = new WorkerProcess(process, starter);
        LineRelay stdout = new LineRelay(slot.name(), PoolListener.Output.STDOUT, pool.listener());
        LineRelay stderr = new LineRelay(slot.name(), PoolListener.Output.STDERR, pool.listener());
        CompletableFuture<Void> allRead;
        try {
            allRead =
                    CompletableFuture.allOf(
                            stdout.start(process.getInputStream()),
                            stderr.start(process.getErrorStream()));
        } catch (Throwable noThread) {
            process.destroyForcibly();
            throw noThread;
        }
        pool.loop().tryExecute(() -> slot.started(running));
        var _ =
                process.onExit()
                        .thenRun(() -> starter.clearGroup(process.pid()))
                        .thenCompose(ended ->
                                allRead.completeOnTimeout(
                                        null, LAST_LINES_MILLIS, TimeUnit.MILLISECONDS))
                        .thenRun(() -> running.tellExit(slot, stderr.lastLines(), pool.loop()));
    }

    long pid() {
        return process.pid();
    }

    /** Asks it to end. */
    void terminate() {
        starter.signal(process, false);
    }

    /** Ends it, and every process of its group. */
    void kill() {
        starter.signal(process, true);
    }

    private void tellExit(WorkerSlot slot, List<String> lastStderr, EventLoop loop) {
        loop.tryExecute(() ->
                slot.exited(
                        new ProcessExit(pid(), process.exitValue(), slot.mayEnd(), lastStderr)));
    }
}

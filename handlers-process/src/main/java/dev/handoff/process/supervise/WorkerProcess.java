package dev.handoff.process.supervise;

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

    /** Hears, on the pool's loop, what becomes of the process that it asked for. */
    interface Owner {
        /** The id of the worker. */
        String id();

        /** The process runs. Its owner may have changed its mind since it asked for it. */
        void started(WorkerProcess running);

        /** There is no process: the system would not start one. */
        void startFailed(String reason);

        /**
         * It is gone, and its output has been read.
         *
         * @param exit how it ended; whether that is to be expected is the owner's to say
         */
        void exited(ProcessExit exit);
    }

    private final Process process;
    private final ProcessSignals signals;

    private WorkerProcess(Process process, ProcessSignals signals) {
        this.process = process;
        this.signals = signals;
    }

    /** Begins to relay and to wait for the end. Called on the starter's thread. */
    static void watch(
            Process process,
            Owner owner,
            EventLoop loop,
            ProcessListener listener,
            HeldOutputs heldOutputs,
            ProcessSignals signals) {
        WorkerProcess running = new WorkerProcess(process, signals);
        LineRelay stdout = new LineRelay(owner.id(), ProcessListener.Output.STDOUT, listener);
        LineRelay stderr = new LineRelay(owner.id(), ProcessListener.Output.STDERR, listener);
        CompletableFuture<Void> allRead;
        try {
            allRead =
                    CompletableFuture.allOf(
                            stdout.start(process.getInputStream()),
                            stderr.start(process.getErrorStream()));
        } catch (Throwable noThread) {
            signals.kill(process);
            throw noThread;
        }
        loop.tryExecute(() -> owner.started(running));
        var _ =
                process.onExit()
                        .thenRun(() -> signals.clearGroup(process.pid()))
                        .thenCompose(ended ->
                                allRead.copy()
                                        .completeOnTimeout(
                                                null, LAST_LINES_MILLIS, TimeUnit.MILLISECONDS))
                        .thenRun(() -> heldOutputs.ended(allRead))
                        .thenRun(() -> running.tellExit(owner, stderr.lastLines(), loop));
    }

    long pid() {
        return process.pid();
    }

    /** Told by the system, before its last output is read and its owner hears of its end. */
    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Asks the system, where that tells it in files: on Linux. Java hears of an end some
     * milliseconds later.
     */
    boolean isAliveNow() {
        return process.isAlive() && !hasLetGo();
    }

    /** Whether it has no port any more, though nobody has asked how it ended. */
    private boolean hasLetGo() {
        ProcessStatus status = ProcessStatus.of(pid());
        return status == null ? !process.isAlive() : status.hasEnded();
    }

    /** Asks it to end. */
    void terminate() {
        signals.terminate(process);
    }

    /** Ends it, and every process of its group. */
    void kill() {
        signals.kill(process);
    }

    private void tellExit(Owner owner, List<String> lastStderr, EventLoop loop) {
        loop.tryExecute(
                () -> owner.exited(new ProcessExit(pid(), process.exitValue(), false, lastStderr)));
    }
}

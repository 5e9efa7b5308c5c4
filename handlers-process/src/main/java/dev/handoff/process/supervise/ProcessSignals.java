package dev.handoff.process.supervise;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Ends processes, and the groups that they lead. It has a thread of its own, so that a program on a
 * disk which does not answer keeps no other from being ended while it starts. May be called from
 * any thread.
 */
final class ProcessSignals {
    /**
     * Somebody may have stopped the shell that groups are told to. Processes start all the same.
     */
    private static final long MOST_WAIT_MILLIS = 1000;

    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().name("handoff-process-signals").daemon().factory());

    /** Null where processes lead none. */
    private final @Nullable ProcessGroups groups;

    /**
     * @param ownGroup whether each process leads a group of its own
     */
    ProcessSignals(boolean ownGroup) {
        groups = ownGroup ? new ProcessGroups(thread) : null;
        // Later the machine may have no thread left.
        thread.prestartCoreThread();
    }

    /** A process is about to start: what ends its group starts beside it. */
    void starting() {
        if (groups != null) {
            thread.execute(groups::starting);
        }
    }

    /**
     * A process has started; its group ends with it, or with the core, which may be killed as soon
     * as this returns.
     */
    void started(Process process) {
        if (groups != null) {
            Future<?> told = thread.submit(() -> groups.started(process));
            try {
                told.get(MOST_WAIT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException notTold) {
                // The process is ended by itself all the same.
            }
        }
    }

    /** Asks a process to end. */
    void terminate(Process process) {
        // The process itself would close its streams, and it may still have something to say.
        thread.execute(process.toHandle()::destroy);
    }

    /** Ends a process and all of its group and its session. */
    void kill(Process process) {
        clearGroup(process.pid());
        thread.execute(process.toHandle()::destroyForcibly);
    }

    /** Ends the processes that one which ended has left behind in its group and its session. */
    void clearGroup(long pid) {
        if (groups != null) {
            thread.execute(() -> groups.end(pid));
        }
    }
}

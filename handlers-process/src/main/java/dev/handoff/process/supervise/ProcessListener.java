package dev.handoff.process.supervise;

import java.time.Duration;
import java.util.SortedSet;

/**
 * Hears what happens to the processes that the core starts for a pool. Called on the pool's loop,
 * but for {@link #onOutput}; must not block.
 */
public interface ProcessListener {
    /** Which of a process's streams a line came from. */
    enum Output {
        STDOUT,
        STDERR
    }

    /**
     * A server that was started elsewhere takes no connection. It is tried until it does, and told
     * of once.
     *
     * @param server its address, as operators read it
     */
    default void onUnreachable(String worker, String server, String why) {}

    /**
     * A pool whose workers are started elsewhere has had none for so long. Told again when one came
     * and left.
     */
    default void onNoWorker(Duration since) {}

    /** A process of the pool was started. */
    default void onStarted(String worker, long pid) {}

    /**
     * A process of the pool runs for so long and has not said hello. It may still be loading, or
     * know nothing of Handoff.
     *
     * @param ports at which it listens by itself, as far as that can be seen
     */
    default void onUnconnected(
            String worker, long pid, Duration running, SortedSet<Integer> ports) {}

    /** A process of the pool takes requests, for the first time. */
    default void onReady(String worker) {}

    /** A process of the pool did not take requests in time, and is told to end. */
    default void onNotReady(String worker, Duration timeout) {}

    /**
     * A process of the pool ended.
     *
     * @param restartMillis when the next one is started; negative for never
     */
    default void onExited(String worker, ProcessExit exit, long restartMillis) {}

    /**
     * A process of the pool ended without being asked to, or could not be started, and had not said
     * hello. {@link #onExited} or {@link #onStartFailed} tells the details.
     */
    default void onNeverJoined(String worker) {}

    /** An operator had a process of the pool killed that had not said hello. */
    default void onKilledBeforeItJoined(String worker) {}

    /** The command could not even be started. */
    default void onStartFailed(String worker, String reason, long restartMillis) {}

    /**
     * Every process of the pool has failed at least once before it took requests, and none has ever
     * taken any. Told once; they are started again all the same.
     *
     * @param error of the one that failed last
     */
    default void onFirstStartFailed(WorkerError error) {}

    /** A reload begins: so many processes are to be replaced, one after the other. */
    default void onReload(int workers) {}

    /** A process takes requests in the place of another, which finishes what it holds and ends. */
    default void onReplaced(String old, String successor, ReplaceCause cause) {}

    /** A process that was to replace another did not get ready: the old one goes on. */
    default void onNotReplaced(String old, WorkerError error, ReplaceCause cause) {}

    /** A reload has ended, one way or the other. */
    default void onReloaded(PoolChange outcome) {}

    /** There shall be another number of processes. */
    default void onScaled(int from, int to) {}

    /** A line that a process wrote; called on a thread of its own, which may block the process. */
    default void onOutput(String worker, Output stream, String line) {}
}

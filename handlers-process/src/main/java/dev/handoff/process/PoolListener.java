package dev.handoff.process;

import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Decoded;
import java.time.Duration;
import java.util.SortedSet;

/**
 * Hears what happens to the workers of a pool; the pool itself logs nothing. Called on the pool's
 * loop, but for {@link #onOutput}; must not block.
 */
public interface PoolListener {
    PoolListener NONE = new PoolListener() {};

    /** Which of a process's streams a line came from. */
    enum Output {
        STDOUT,
        STDERR
    }

    /** A worker said hello and was welcomed. */
    default void onJoined(WorkerConnection worker) {}

    /**
     * A worker's connection ended.
     *
     * @param lost how many requests it held that are answered 502
     */
    default void onLeft(WorkerConnection worker, Departure departure, int lost) {}

    /** A worker broke the protocol; its connection is closed. */
    default void onProtocolFault(WorkerConnection worker, Decoded.Refused fault) {}

    /**
     * A worker answered {@code failure}.
     *
     * @param message its beginning, for the log, not for the client
     */
    default void onHandlerFailure(WorkerConnection worker, long id, String message) {}

    /** A worker answered an id that is not in flight; the answer is dropped. */
    default void onUnknownId(WorkerConnection worker, long id) {}

    /** Somebody connected and was not let in. */
    default void onTurnedAway(String code, String message) {}

    /** More comes than the workers can do: from now on the newest request goes first; or not. */
    default void onOverload(boolean present) {}

    /**
     * A request got no worker.
     *
     * @param limit the limit that was reached: requests, bytes or milliseconds; 0 for {@link
     *     Rejection#DRAINING}
     */
    default void onRejected(Rejection reason, long limit) {}

    /**
     * A request is handed to a worker. Exactly one of {@link #onAnswered}, {@link #onAnsweredLate},
     * {@link #onGivenBack} and {@link #onLost} follows.
     *
     * @param waitNanos since it came to the pool
     */
    default void onDispatched(WorkerConnection worker, long waitNanos) {}

    /**
     * A worker answered a request, with a response or a failure.
     *
     * @param handlerNanos since it was handed to the worker
     */
    default void onAnswered(WorkerConnection worker, long handlerNanos) {}

    /**
     * A worker answered a request that had been cancelled; the answer is dropped.
     *
     * @param handlerNanos since it was handed to the worker
     */
    default void onAnsweredLate(WorkerConnection worker, long handlerNanos) {}

    /**
     * Others hold the memory for answers: a response that a worker sends is dropped, and its client
     * told so. It counts as answered late when it has come.
     *
     * @param bodyBytes of the response
     * @param limitBytes what all answers may take
     */
    default void onNoRoom(WorkerConnection worker, int bodyBytes, long limitBytes) {}

    /** The same, since the worker sent it slowly while others waited for its room. */
    default void onSlowResponse(WorkerConnection worker, int bodyBytes) {}

    /** A worker did not take a request after all, which goes back to the queue. */
    default void onGivenBack(WorkerConnection worker) {}

    /** A worker went away with a request, which may have been cancelled. */
    default void onLost(WorkerConnection worker) {}

    /** A worker was told to give up a request that it holds; its answer or its end follows. */
    default void onCancelled(WorkerConnection worker, CancelReason reason) {}

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

    /** A process of the pool did not take requests in time, and is told to end. */
    default void onNotReady(String worker, Duration timeout) {}

    /**
     * A process of the pool ended.
     *
     * @param restartMillis when the next one is started; negative for never
     */
    default void onExited(String worker, ProcessExit exit, long restartMillis) {}

    /**
     * A process of the pool ended, or could not be started, without having said hello, and nobody
     * had asked it to. {@link #onExited} or {@link #onStartFailed} tells the details.
     */
    default void onNeverJoined(String worker) {}

    /** A process of the pool was killed, as somebody asked for, without having said hello. */
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

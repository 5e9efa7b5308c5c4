package dev.handoff.process.dispatch;

import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Decoded;
import java.io.IOException;

/**
 * Hears what happens to the connected workers of a pool and to its requests. Called on the pool's
 * loop; must not block.
 */
public interface DispatchListener {
    /** A worker said hello and was welcomed. */
    default void onJoined(Worker worker) {}

    /**
     * A worker's connection ended.
     *
     * @param lost how many of its requests get a 502
     */
    default void onLeft(Worker worker, Departure departure, int lost) {}

    /** A worker broke the protocol; its connection is closed. */
    default void onProtocolFault(Worker worker, Decoded.Refused fault) {}

    /**
     * A worker answered {@code failure}.
     *
     * @param message its beginning, for the log, not for the client
     */
    default void onHandlerFailure(Worker worker, long id, String message) {}

    /**
     * A worker lost a request, and goes on with the others. Its client gets no response, or no more
     * of it.
     *
     * @param request its name for the log
     * @param why what happened, in words
     */
    default void onRequestLost(Worker worker, long id, String request, String why) {}

    /** A worker answered an id that is not in flight; the response is dropped. */
    default void onUnknownResponse(Worker worker, long id) {}

    /** The content of a request could not be read from its file while the worker got it. */
    default void onContentLost(Worker worker, long id, IOException why) {}

    /**
     * A response in pieces was broken off, since its worker broke a rule.
     *
     * @param reason {@link CancelReason#SLOW_CLIENT} for pieces without credit, {@link
     *     CancelReason#BAD_RESPONSE} for pieces out of order
     */
    default void onBrokenStream(Worker worker, long id, CancelReason reason) {}

    /**
     * A WebSocket was closed with 1011, since its worker broke a rule.
     *
     * @param rule what the worker did, in words
     */
    default void onBrokenWebSocket(Worker worker, long id, String rule) {}

    /**
     * A client asked for a WebSocket, and its worker takes none. The worker gets a plain request.
     */
    default void onUntakenWebSocket(Worker worker) {}

    /** A process connected and was not let in. */
    default void onTurnedAway(String code, String message) {}

    /** Overload began or ended. While it lasts, the newest request goes first. */
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
     * @param waitNanos how long it waited for this worker: since {@link
     *     dev.handoff.server.Exchange#arrivedNanos} or, if a worker had it before, since that one
     *     left or gave it back
     */
    default void onDispatched(Worker worker, long waitNanos) {}

    /**
     * A worker answered a request, with a response or a failure.
     *
     * @param handlerNanos since it was handed to the worker
     */
    default void onAnswered(Worker worker, long handlerNanos) {}

    /**
     * A worker answered a request that had been cancelled; the response is dropped.
     *
     * @param handlerNanos since it was handed to the worker
     */
    default void onAnsweredLate(Worker worker, long handlerNanos) {}

    /**
     * A response is dropped, because other responses hold all the memory that responses may take.
     * Its client is told so. It counts as answered late when all of it has come.
     *
     * @param bodyBytes of the response
     * @param limitBytes what all responses together may take
     */
    default void onNoRoom(Worker worker, int bodyBytes, long limitBytes) {}

    /**
     * A response is dropped, because its worker sent it slowly while others waited for its room.
     */
    default void onSlowResponse(Worker worker, int bodyBytes) {}

    /**
     * A request goes back to the queue: its worker gave it back, or left and another may have it.
     */
    default void onGivenBack(Worker worker) {}

    /** A worker went away with a request, which may have been cancelled. */
    default void onLost(Worker worker) {}

    /** A worker was told to give up a request that it holds; its response or its end follows. */
    default void onCancelled(Worker worker, CancelReason reason) {}
}

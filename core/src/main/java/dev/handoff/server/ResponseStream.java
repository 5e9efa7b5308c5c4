package dev.handoff.server;

import dev.handoff.http.Body;

/**
 * A response that its handler gives in pieces. Each piece leaves for the client at once, as soon as
 * the responses to earlier requests have left.
 *
 * <p>Any thread may call it, but only one at a time. When nobody wants the rest any more, the
 * action of {@link Exchange#onAbandoned} is called, and what still comes is dropped.
 */
public interface ResponseStream {
    /** The bytes that a handler may give before it is told that there is room for more. */
    int FIRST_ROOM_BYTES = 64 * 1024;

    /**
     * Gives the next piece of the content. An empty one means nothing, and one that is {@linkplain
     * Body#lent lent} is given back.
     */
    void write(Body piece);

    /** The response is complete. */
    void end();

    /**
     * The rest will not come. If nothing of the response has left, the client gets this failure
     * instead. Otherwise the client is cut off, so that it does not take a part for the whole.
     *
     * @param failure what the client is told
     * @param why what is counted: {@link StreamEnd#FAILED} or {@link StreamEnd#DRAINED}
     */
    void fail(Failure failure, StreamEnd why);

    /** The handler failed: the client gets 500 or is cut off, and the listener hears why. */
    void fail(Throwable failure);
}

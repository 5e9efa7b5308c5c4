package dev.handoff.server;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.http.ResponseFault;
import dev.handoff.loop.LoopListener;
import java.io.IOException;

/**
 * Hears what the server does; the server itself counts and logs nothing.
 *
 * <p>The server calls every method on an event loop, and it must not block. {@link #forLoop} may
 * give each loop a listener of its own, which then needs no lock to count.
 */
public interface ServerListener {
    ServerListener NONE = new ServerListener() {};

    /** The listener for the loops that the server starts for itself. */
    default LoopListener ofServersLoops() {
        ServerListener server = this;
        return new LoopListener() {
            @Override
            public void onFailure(Throwable failure) {
                server.onInternalFailure(failure);
            }

            @Override
            public void onAcceptFailed(IOException failure) {
                server.onAcceptFailed(failure);
            }
        };
    }

    /** The listener for loop number {@code index}, from 0; asked once, before the server starts. */
    default ServerListener forLoop(int index) {
        return this;
    }

    /**
     * A connection was accepted; it opens on its loop. Told where connections are accepted, which
     * is the first loop.
     *
     * @param open how many there are with it
     */
    default void onAccepted(int open) {}

    /**
     * A connection is open on its loop. Whoever had the same address and port before has left, even
     * if the server has yet to hear of it.
     *
     * @param peer its address and port, written as {@link Exchange#client}; may be a proxy's
     */
    default void onConnectionOpened(String peer) {}

    default void onConnectionClosed(ConnectionEnd end) {}

    /** So many bytes came from a client. */
    default void onReceived(int bytes) {}

    /** So many bytes left for a client. */
    default void onSent(long bytes) {}

    /**
     * A request came: a whole one, or the head of one whose handler gets the content as it comes.
     * It ends with one {@link #onResponse}, one {@link #onStreamEnded} or one {@link
     * #onWebSocketClosed}, or else with one {@link #onAbandoned} because its client left, its
     * content was refused, or the server stopped.
     */
    default void onRequest(Exchange exchange) {}

    /** All content has come of a request whose handler gets it as it comes. */
    default void onContentArrived(Exchange exchange) {}

    /**
     * A response was given to the client's socket.
     *
     * @param bodyBytes the size of the content sent
     */
    default void onResponse(Exchange exchange, int status, int bodyBytes) {}

    /** The head of a response in pieces was given to the client's socket. */
    default void onStreamBegun(Exchange exchange, int status) {}

    /**
     * A response in pieces that had begun is over.
     *
     * @param bodyBytes the size of the content that was given to the client's socket
     * @param nanos since it began
     */
    default void onStreamEnded(
            Exchange exchange, int status, long bodyBytes, long nanos, StreamEnd how) {}

    /**
     * The connection of a request became a WebSocket. The request ends with one {@link
     * #onWebSocketClosed}.
     */
    default void onWebSocketOpened(Exchange exchange) {}

    /** A whole message came from a client, or was given to its socket. */
    default void onWebSocketMessage(boolean fromClient, long bytes) {}

    default void onWebSocketClosed(Exchange exchange, WebSocketEnd end) {}

    /**
     * A large request got 503: it found no room in the {@link Spool}, or could not be written
     * there.
     *
     * @param client as {@link Exchange#client}
     * @param whole whether all of it has come: then its response is told like any other
     * @param bodyBytes as for {@link #onRefused}
     */
    default void onSpoolFull(String client, RequestStart start, boolean whole, int bodyBytes) {}

    /**
     * A client's request was refused: it broke a rule, or came too slowly.
     *
     * @param client as {@link Exchange#client}
     * @param bodyBytes the size of the content that the client is sent
     */
    default void onRefused(Refusal refusal, String client, RequestStart start, int bodyBytes) {}

    /**
     * A client left in the middle of a request, of which no handler has heard: nobody answers it.
     *
     * @param client as {@link Exchange#client}
     */
    default void onLeftInRequest(String client, RequestStart start) {}

    /**
     * A client got 503 in the middle of its request: all requests together take what {@link
     * ServerLimits#bufferedBytes} allows them.
     *
     * @param client as {@link Exchange#client}
     * @param bodyBytes as for {@link #onRefused}
     */
    default void onBuffersFull(String client, RequestStart start, int bodyBytes) {}

    /**
     * A client got 503 in the middle of its request: it came too slowly to keep its memory when
     * others needed that.
     *
     * @param client as {@link Exchange#client}
     * @param bodyBytes as for {@link #onRefused}
     */
    default void onRequestEvicted(String client, RequestStart start, int bodyBytes) {}

    /**
     * A client has as many connections, or requests by a trusted proxy, as {@link
     * ServerLimits#connectionsPerClient} allows. A further connection was closed at once, or a
     * further request gets 429.
     *
     * @param client as {@link Exchange#client}
     */
    default void onClientLimit(String client) {}

    /**
     * A request lost its client before its response was written; or its deadline passed, and it
     * gets a 504. Also called for the reasons that only responses in pieces have; such a request
     * still ends with {@link #onResponse} or {@link #onStreamEnded}.
     */
    default void onAbandoned(Exchange exchange, Abandonment reason) {}

    /** A response was dropped: another came first, or nobody wanted it any more. */
    default void onDroppedResponse(Exchange exchange) {}

    /** A handler threw, or its action for an abandoned request did. */
    default void onHandlerFailed(Exchange exchange, Throwable failure) {}

    default void onBadResponse(Exchange exchange, ResponseFault fault) {}

    /** {@code accept} failed, as it does without free descriptors; it is tried again shortly. */
    default void onAcceptFailed(IOException failure) {}

    /**
     * As many connections are open as the limit allows, and no client has been silent for long
     * enough to lose its place. New clients wait in the kernel.
     */
    default void onAcceptPaused() {}

    default void onAcceptResumed() {}

    /** A bug of ours: an exception that cost a connection. Told by loops the server started. */
    default void onInternalFailure(Throwable failure) {}
}

package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.server.forwarding.TrustedProxies;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and the response that is owed to it.
 *
 * <p>Any thread may call {@link #respond}, {@link #stream}, {@link #accept} and {@link #fail}; the
 * first call counts. A response that comes after another, or after the exchange was abandoned, is
 * dropped and told to the {@link ServerListener}; one that comes after the server's loops have
 * stopped is dropped without a word. Everything else belongs to the thread of {@link #loop}, unless
 * it says otherwise.
 */
public interface Exchange {
    /**
     * The request. Once it is answered, and its response waits for those before it, it is
     * {@linkplain Request#inBrief brief}.
     */
    Request request();

    /**
     * The client's address and port, as {@code 192.0.2.1:49152} or {@code [2001:db8::1]:49152}. If
     * a {@link TrustedProxies trusted proxy} sent the request, this is the client that the proxy
     * names, with port 0 if it names none.
     */
    String client();

    /**
     * Where the request comes from: its client, and the scheme that this has spoken. Any thread.
     */
    default Origin origin() {
        return new Origin(client(), null, Origin.HTTP, "");
    }

    /**
     * The path at which the route serves its handler: the first characters of the target, whole
     * segments; empty for the root.
     */
    default String prefix() {
        return "";
    }

    /**
     * Serves the handler below a path, as a route may.
     *
     * @param prefix with which the target begins
     */
    default void prefix(String prefix) {}

    /**
     * The name of the request in logs: its {@code X-Request-Id}, if it is one field line of 1 to
     * 128 visible ASCII characters, or the one that the {@link ServerOptions#withRequestIds server
     * made}; else null. Any thread.
     */
    default @Nullable String requestId() {
        return RequestIds.given(request().headers());
    }

    /** The loop of the client's connection. */
    EventLoop loop();

    /**
     * When the request could be handed over, in the time of {@link #loop}: when it was complete, or
     * its head where the handler takes content as it comes.
     */
    long arrivedNanos();

    /** When the server gives up waiting for the response, in the time of {@link #loop}. */
    long deadlineNanos();

    /**
     * Moves the deadline, as for a route with a timeout of its own. In the time of {@link #loop}.
     */
    void deadlineNanos(long deadlineNanos);

    /**
     * Has no request of the same connection begin behind this one before its response is written:
     * for a handler that makes responses faster than clients take them. To be called on the loop,
     * before {@link Handler#handle} returns.
     */
    default void runAlone() {}

    /** Keeps something of the handler's with the exchange, in place of what it kept before. */
    void attach(Object attachment);

    /** The object that the handler attached; null if none. */
    @Nullable Object attachment();

    /** Whether a response has been given, or is no longer wanted. */
    boolean isDone();

    /**
     * Why the server or the pool answered, and not the handler: the value of Handoff-Error. Null
     * where the handler answered, and before any response.
     */
    default @Nullable String error() {
        return null;
    }

    /** Gives the response. A response that breaks a rule of HTTP becomes a 502. */
    void respond(Response response);

    /**
     * Begins a response whose content comes in pieces. It counts as {@link #respond} does, and a
     * head that breaks a rule of HTTP becomes a 502. The content may have any size. If the head has
     * a Content-Length, the content has to have that length.
     *
     * <p>The server holds what the client has not taken. So a handler gives no more than {@link
     * ResponseStream#FIRST_ROOM_BYTES} and what {@code onRoom} has said since.
     *
     * @param head with the first piece of the content as its body, which may be empty
     * @param onRoom is called on the loop with the number of bytes that there is room for besides:
     *     as many as the client has taken, and more if it takes them fast
     */
    ResponseStream stream(Response head, LongConsumer onRoom);

    /**
     * Begins a response as {@link #stream} does, with content that is published. It subscribes to
     * the publisher at once, and asks it for one piece at a time, and for none while the client has
     * too much to read. It cancels the subscription when nobody wants the rest. If the publisher
     * fails, the handler has failed. Any thread may call it. It uses the one action of {@link
     * #onAbandoned}.
     *
     * @param head with the first piece of the content as its body, which may be empty
     */
    void publish(Response head, Flow.Publisher<Body> content);

    /**
     * What the request says about WebSockets. A handler that serves them asks before anything else,
     * on the loop, and answers a {@link Handshake.Malformed} with its error.
     */
    default Handshake handshake() {
        return Handshake.of(request());
    }

    /**
     * Makes a WebSocket of the connection, if {@link #handshake} is an offer. It counts as {@link
     * #respond} does. The server adds what a handshake needs to the fields. Once the WebSocket is
     * open, {@link #request} is {@linkplain Request#inBrief brief}.
     *
     * @param headers of the response: may choose one offered subprotocol by {@code
     *     sec-websocket-protocol}
     * @throws IllegalStateException if the request does not ask for one
     */
    WebSocket accept(Headers headers, WebSocketListener listener);

    /**
     * Gives the memory of the request back before its response has left. A handler calls it that
     * has read the request and responds in pieces for long. From then on {@link #request} is
     * {@linkplain Request#inBrief brief}. Any thread.
     */
    default void releaseRequest() {}

    /** Gives the response that says why the server side failed. */
    void fail(Failure failure);

    /** Answers 500 and tells the listener why. */
    void fail(Throwable failure);

    /**
     * Calls {@code action} on the loop when nobody wants the response any more before it is given,
     * or a response in pieces before it is complete. Calls it at once if that is so already. One
     * action at most.
     */
    void onAbandoned(Consumer<Abandonment> action);
}

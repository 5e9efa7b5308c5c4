package dev.handoff.server;

import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.TrustedProxies;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and the answer that is owed to it.
 *
 * <p>The first of {@link #respond} and {@link #fail} counts; they may be called from any thread. An
 * answer that comes after another, or after the exchange was abandoned, is dropped and told to the
 * {@link ServerListener}. Everything else belongs to the thread of {@link #loop}.
 */
public interface Exchange {
    Request request();

    /**
     * The client's address and port as {@code 192.0.2.1:49152} or {@code [2001:db8::1]:49152}; for
     * whom a {@link TrustedProxies trusted proxy} sent the request, with port 0 where it names
     * none.
     */
    String client();

    /**
     * What the request is called in logs: its {@code X-Request-Id}, if it is one field line of 1 to
     * 128 visible ASCII characters, or the one that the {@link ServerOptions#withRequestIds server
     * made}; else null. Any thread.
     */
    default @Nullable String requestId() {
        return RequestIds.given(request().headers());
    }

    /** The loop of the client's connection. */
    EventLoop loop();

    /** When the request was complete, in the time of {@link #loop}. */
    long arrivedNanos();

    /** When the server gives up waiting for the answer, in the time of {@link #loop}. */
    long deadlineNanos();

    /** Moves the deadline, as for a route with a timeout of its own. */
    void deadlineNanos(long deadlineNanos);

    /** Leaves with the exchange what its handler knows of it, in place of what was left before. */
    void attach(Object attachment);

    /** What the handler left; null if nothing. */
    @Nullable Object attachment();

    /** Whether an answer has been given, or is no longer wanted. */
    boolean isDone();

    /**
     * Why it is the server that answered, or the pool, and not the handler: what Handoff-Error
     * says. Null where the handler answered, and before any answer.
     */
    default @Nullable String error() {
        return null;
    }

    /** Answers. A response that breaks a rule of HTTP becomes a 502. */
    void respond(Response response);

    /** Answers with the server side's fault. */
    void fail(Failure failure);

    /** Answers 500 and tells the listener why. */
    void fail(Throwable failure);

    /**
     * Has {@code action} called, on the loop, if the answer is no longer wanted before it is given;
     * at once if that is so already. One action at most.
     */
    void onAbandoned(Consumer<Abandonment> action);
}

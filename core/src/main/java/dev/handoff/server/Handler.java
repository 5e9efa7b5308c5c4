package dev.handoff.server;

import dev.handoff.http.Request;
import dev.handoff.server.forwarding.Origin;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** The user's code: gets each request and owes it one response. */
@FunctionalInterface
public interface Handler {
    /**
     * Takes a request.
     *
     * <p>The server calls it on the event loop of the client's connection: it must not block. The
     * response goes to {@link Exchange#respond} or {@link Exchange#fail}, now or later, from any
     * thread, once. If the handler throws, the client gets 500; if it never responds, 504 at the
     * exchange's deadline.
     */
    void handle(Exchange exchange);

    /**
     * Whether it wants a request with this head before its content is whole. Then {@link
     * dev.handoff.http.Body#arriving} gives the content as it comes. If all of the content has come
     * with the head, every handler gets it whole.
     *
     * @param head the request without its content
     * @param origin where it comes from
     */
    default boolean takesContentAsItComes(Request head, Origin origin) {
        return false;
    }

    /** The same handler, for requests whose response is due this long after they came. */
    default Handler within(Duration timeout) {
        long timeoutNanos = timeout.toNanos();
        Handler unlimited = this;
        return new Handler() {
            @Override
            public void handle(Exchange exchange) {
                exchange.deadlineNanos(exchange.arrivedNanos() + timeoutNanos);
                unlimited.handle(exchange);
            }

            @Override
            public boolean takesContentAsItComes(Request head, Origin origin) {
                return unlimited.takesContentAsItComes(head, origin);
            }
        };
    }

    /** Runs {@code handler} on a virtual thread of its own for each request. */
    static Handler blocking(BlockingHandler handler) {
        Executor threads = Executors.newVirtualThreadPerTaskExecutor();
        return exchange -> BlockingCall.start(handler, exchange, threads);
    }
}

package dev.handoff.server;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** The user's code: gets each whole request and owes it one answer. */
@FunctionalInterface
public interface Handler {
    /**
     * Takes a request.
     *
     * <p>Called on the event loop of the client's connection: it must not block. The answer goes to
     * {@link Exchange#respond} or {@link Exchange#fail}, now or later, from any thread, once. A
     * handler that throws has answered 500; one that never answers is overtaken by the exchange's
     * deadline.
     */
    void handle(Exchange exchange);

    /** The same handler, for requests whose answer is due so long after they came. */
    default Handler within(Duration timeout) {
        long timeoutNanos = timeout.toNanos();
        return exchange -> {
            exchange.deadlineNanos(exchange.arrivedNanos() + timeoutNanos);
            handle(exchange);
        };
    }

    /** Runs {@code handler} on a virtual thread of its own for each request. */
    static Handler blocking(BlockingHandler handler) {
        Executor threads = Executors.newVirtualThreadPerTaskExecutor();
        return exchange -> BlockingCall.start(handler, exchange, threads);
    }
}

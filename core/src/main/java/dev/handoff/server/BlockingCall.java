package dev.handoff.server;

import dev.handoff.http.Response;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One request in the hands of a {@link BlockingHandler}, on a virtual thread of its own. */
final class BlockingCall implements Runnable {
    private final BlockingHandler handler;
    private final Exchange exchange;
    private @Nullable Thread running;
    private boolean abandoned;

    private BlockingCall(BlockingHandler handler, Exchange exchange) {
        this.handler = handler;
        this.exchange = exchange;
    }

    static void start(BlockingHandler handler, Exchange exchange, Executor threads) {
        BlockingCall call = new BlockingCall(handler, exchange);
        exchange.onAbandoned(reason -> call.abandon());
        threads.execute(call);
    }

    @Override
    public void run() {
        if (!begin()) {
            return;
        }
        Response response;
        try {
            response =
                    Objects.requireNonNull(
                            handler.handle(exchange.request()), "the handler returned null");
        } catch (Throwable failure) {
            exchange.fail(failure);
            return;
        } finally {
            end();
        }
        exchange.respond(response);
    }

    private synchronized boolean begin() {
        running = Thread.currentThread();
        return !abandoned;
    }

    private synchronized void end() {
        running = null;
    }

    private synchronized void abandon() {
        abandoned = true;
        if (running != null) {
            running.interrupt();
        }
    }
}

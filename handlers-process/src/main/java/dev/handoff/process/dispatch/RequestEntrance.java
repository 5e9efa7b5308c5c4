package dev.handoff.process.dispatch;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.Request;
import dev.handoff.http.websocket.Handshake;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.forwarding.Origin;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Takes requests from clients' connections into a pool. It encodes the request on the connection's
 * loop, and hands the request over on the pool's loop.
 */
final class RequestEntrance implements Handler {
    private static final Set<String> REPLAYED_METHODS = Set.of("GET", "HEAD", "OPTIONS");

    private final String pool;
    private final EventLoop loop;
    private final Supplier<PoolLimits> limits;
    private final Dispatcher dispatcher;
    private final Dialect dialect;
    private final PoolLoad load;

    RequestEntrance(
            String pool,
            EventLoop loop,
            Dialect dialect,
            Dispatcher dispatcher,
            PoolLoad load,
            Supplier<PoolLimits> limits) {
        this.pool = pool;
        this.loop = loop;
        this.dialect = dialect;
        this.dispatcher = dispatcher;
        this.load = load;
        this.limits = limits;
    }

    @Override
    public boolean takesContentAsItComes(Request head, Origin origin) {
        return limits.get().contentAsItComes();
    }

    @Override
    public void handle(Exchange exchange) {
        Handshake handshake = exchange.handshake();
        if (handshake instanceof Handshake.Malformed malformed && dispatcher.takesWebSockets()) {
            Request request = exchange.request();
            exchange.respond(malformed.response(ErrorForm.of(request.method(), request.headers())));
            return;
        }
        List<String> subprotocols =
                handshake instanceof Handshake.Offer offer ? offer.subprotocols() : null;
        WorkerRequest request =
                new WorkerRequest(
                        pool,
                        load,
                        exchange,
                        dialect.encode(exchange, subprotocols),
                        subprotocols != null,
                        exchange.arrivedNanos(),
                        exchange.deadlineNanos());
        request.replayable =
                limits.get().replaySafeMethods()
                        && REPLAYED_METHODS.contains(exchange.request().method());
        request.retainContent();
        exchange.attach(request);
        exchange.onAbandoned(reason -> loop.tryRun(() -> dispatcher.abandon(request, reason)));
        if (!loop.tryRun(() -> dispatcher.accept(request))) {
            request.releaseContent();
            exchange.fail(Rejection.DRAINING.failure());
        }
    }
}

package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import java.util.Set;

/**
 * The way from a client's connection into a pool: encodes the frame on the connection's loop, then
 * hands over on the pool's.
 */
final class PoolHandler implements Handler {
    private static final Set<String> REPLAYED_METHODS = Set.of("GET", "HEAD", "OPTIONS");

    private final WorkerPool pool;
    private final Dispatcher dispatcher;
    private final ThreadLocal<FrameEncoder> encoders = ThreadLocal.withInitial(FrameEncoder::new);

    PoolHandler(WorkerPool pool, Dispatcher dispatcher) {
        this.pool = pool;
        this.dispatcher = dispatcher;
    }

    @Override
    public void handle(Exchange exchange) {
        EventLoop poolLoop = pool.loop();
        PoolRequest request =
                new PoolRequest(
                        pool.name(),
                        exchange,
                        encoders.get()
                                .encodeRequest(
                                        exchange.request(),
                                        exchange.client(),
                                        exchange.requestId()),
                        exchange.arrivedNanos(),
                        exchange.deadlineNanos());
        request.replayable =
                pool.limits().replaySafeMethods()
                        && REPLAYED_METHODS.contains(exchange.request().method());
        exchange.attach(request);
        exchange.onAbandoned(reason -> poolLoop.tryRun(() -> dispatcher.abandon(request, reason)));
        if (!poolLoop.tryRun(() -> dispatcher.accept(request))) {
            exchange.fail(Rejection.DRAINING.failure());
        }
    }
}

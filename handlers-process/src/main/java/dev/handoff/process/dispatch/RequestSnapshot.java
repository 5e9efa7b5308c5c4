package dev.handoff.process.dispatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request that a pool has, as it was at one moment.
 *
 * @param id the request's own, for logs; null if it has none
 * @param traceId of its {@code traceparent}; null if it has none that is valid
 * @param worker who holds it; null while it is queued
 * @param client address and port
 * @param age the wait and the handler's time together, since the pool could have it
 * @param waited the part of its age for which it waited for a worker
 * @param handled the part of its age for which the worker has had it; zero while it is queued
 * @param left until its deadline; zero once that has passed
 * @param bodyBytes of its content
 * @param streamedBytes of its response that came in pieces
 */
public record RequestSnapshot(
        State state,
        @Nullable String id,
        @Nullable String traceId,
        @Nullable String worker,
        String method,
        String target,
        String client,
        Duration age,
        Duration waited,
        Duration handled,
        Duration left,
        int bodyBytes,
        long streamedBytes) {

    /** Where it is. */
    public enum State {
        /** It waits for a worker. */
        QUEUED,
        /** A worker has it. */
        RUNNING,
        /** Its response comes in pieces. */
        STREAMING,
        /** It became a WebSocket. */
        WEBSOCKET,
        /** A worker has it still, but no client waits for the response any more. */
        CANCELLED
    }

    static RequestSnapshot of(WorkerRequest request, long nowNanos) {
        long waited = request.waitNanos(nowNanos);
        long handled = request.handlerNanos(nowNanos);
        return new RequestSnapshot(
                stateOf(request),
                request.requestId,
                request.traceId(),
                request.worker(),
                request.method,
                request.target,
                request.client,
                Duration.ofNanos(waited + handled),
                Duration.ofNanos(waited),
                Duration.ofNanos(handled),
                Duration.ofNanos(Math.max(0, request.nanosLeft(nowNanos))),
                request.bodyBytes(),
                request.streamedBytes());
    }

    private static State stateOf(@Nullable BegunResponse begun) {
        return switch (begun) {
            case null -> State.RUNNING;
            case WorkerStream stream -> State.STREAMING;
            case WorkerWebSocket webSocket -> State.WEBSOCKET;
        };
    }

    private static State stateOf(WorkerRequest request) {
        return switch (request.state) {
            case QUEUED -> State.QUEUED;
            case IN_FLIGHT -> stateOf(request.begun());
            case CANCELLED -> State.CANCELLED;
            case NEW, DONE -> throw new IllegalStateException("a request that is " + request.state);
        };
    }
}

package dev.handoff.server;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.http.ResponseFault;
import java.io.IOException;
import java.util.function.Consumer;

/** Makes one listener of two. Where one throws, the other hears the event all the same. */
public record BothServerListeners(ServerListener first, ServerListener second)
        implements ServerListener {
    @Override
    public ServerListener forLoop(int index) {
        return new BothServerListeners(first.forLoop(index), second.forLoop(index));
    }

    @Override
    public void onAccepted(int open) {
        tell(listener -> listener.onAccepted(open));
    }

    @Override
    public void onConnectionOpened(String peer) {
        tell(listener -> listener.onConnectionOpened(peer));
    }

    @Override
    public void onConnectionClosed(ConnectionEnd end) {
        tell(listener -> listener.onConnectionClosed(end));
    }

    /** This happens all the time, so it is passed on without making an object. */
    @Override
    public void onReceived(int bytes) {
        try {
            first.onReceived(bytes);
        } finally {
            second.onReceived(bytes);
        }
    }

    /** As {@link #onReceived}. */
    @Override
    public void onSent(long bytes) {
        try {
            first.onSent(bytes);
        } finally {
            second.onSent(bytes);
        }
    }

    /** As {@link #onReceived}. */
    @Override
    public void onRequest(Exchange exchange) {
        try {
            first.onRequest(exchange);
        } finally {
            second.onRequest(exchange);
        }
    }

    /** As {@link #onReceived}. */
    @Override
    public void onResponse(Exchange exchange, int status, int bodyBytes) {
        try {
            first.onResponse(exchange, status, bodyBytes);
        } finally {
            second.onResponse(exchange, status, bodyBytes);
        }
    }

    @Override
    public void onStreamBegun(Exchange exchange, int status) {
        tell(listener -> listener.onStreamBegun(exchange, status));
    }

    @Override
    public void onStreamEnded(
            Exchange exchange, int status, long bodyBytes, long nanos, StreamEnd how) {
        tell(listener -> listener.onStreamEnded(exchange, status, bodyBytes, nanos, how));
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start, int bodyBytes) {
        tell(listener -> listener.onRefused(refusal, client, start, bodyBytes));
    }

    @Override
    public void onLeftInRequest(String client, RequestStart start) {
        tell(listener -> listener.onLeftInRequest(client, start));
    }

    @Override
    public void onSpoolFull(String client, RequestStart start, boolean whole, int bodyBytes) {
        tell(listener -> listener.onSpoolFull(client, start, whole, bodyBytes));
    }

    @Override
    public void onContentArrived(Exchange exchange) {
        tell(listener -> listener.onContentArrived(exchange));
    }

    @Override
    public void onBuffersFull(String client, RequestStart start, int bodyBytes) {
        tell(listener -> listener.onBuffersFull(client, start, bodyBytes));
    }

    @Override
    public void onWebSocketOpened(Exchange exchange) {
        tell(listener -> listener.onWebSocketOpened(exchange));
    }

    /** As {@link #onReceived}. */
    @Override
    public void onWebSocketMessage(boolean fromClient, long bytes) {
        try {
            first.onWebSocketMessage(fromClient, bytes);
        } finally {
            second.onWebSocketMessage(fromClient, bytes);
        }
    }

    @Override
    public void onWebSocketClosed(Exchange exchange, WebSocketEnd end) {
        tell(listener -> listener.onWebSocketClosed(exchange, end));
    }

    @Override
    public void onRequestEvicted(String client, RequestStart start, int bodyBytes) {
        tell(listener -> listener.onRequestEvicted(client, start, bodyBytes));
    }

    @Override
    public void onClientLimit(String client) {
        tell(listener -> listener.onClientLimit(client));
    }

    @Override
    public void onAbandoned(Exchange exchange, Abandonment reason) {
        tell(listener -> listener.onAbandoned(exchange, reason));
    }

    @Override
    public void onDroppedResponse(Exchange exchange) {
        tell(listener -> listener.onDroppedResponse(exchange));
    }

    @Override
    public void onHandlerFailed(Exchange exchange, Throwable failure) {
        tell(listener -> listener.onHandlerFailed(exchange, failure));
    }

    @Override
    public void onBadResponse(Exchange exchange, ResponseFault fault) {
        tell(listener -> listener.onBadResponse(exchange, fault));
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        tell(listener -> listener.onAcceptFailed(failure));
    }

    @Override
    public void onAcceptPaused() {
        tell(listener -> listener.onAcceptPaused());
    }

    @Override
    public void onAcceptResumed() {
        tell(listener -> listener.onAcceptResumed());
    }

    @Override
    public void onInternalFailure(Throwable failure) {
        tell(listener -> listener.onInternalFailure(failure));
    }

    private void tell(Consumer<ServerListener> event) {
        try {
            event.accept(first);
        } finally {
            event.accept(second);
        }
    }
}

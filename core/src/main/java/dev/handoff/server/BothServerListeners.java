package dev.handoff.server;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.http.ResponseFault;
import java.io.IOException;

/** One listener for two. Where one throws, the other hears it all the same. */
record BothServerListeners(ServerListener first, ServerListener second) implements ServerListener {
    @Override
    public ServerListener forLoop(int index) {
        return new BothServerListeners(first.forLoop(index), second.forLoop(index));
    }

    @Override
    public void onAccepted(int open) {
        try {
            first.onAccepted(open);
        } finally {
            second.onAccepted(open);
        }
    }

    @Override
    public void onConnectionOpened() {
        try {
            first.onConnectionOpened();
        } finally {
            second.onConnectionOpened();
        }
    }

    @Override
    public void onConnectionClosed(ConnectionEnd end) {
        try {
            first.onConnectionClosed(end);
        } finally {
            second.onConnectionClosed(end);
        }
    }

    @Override
    public void onReceived(int bytes) {
        try {
            first.onReceived(bytes);
        } finally {
            second.onReceived(bytes);
        }
    }

    @Override
    public void onSent(long bytes) {
        try {
            first.onSent(bytes);
        } finally {
            second.onSent(bytes);
        }
    }

    @Override
    public void onRequest(Exchange exchange) {
        try {
            first.onRequest(exchange);
        } finally {
            second.onRequest(exchange);
        }
    }

    @Override
    public void onResponse(Exchange exchange, int status, int bodyBytes) {
        try {
            first.onResponse(exchange, status, bodyBytes);
        } finally {
            second.onResponse(exchange, status, bodyBytes);
        }
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start) {
        try {
            first.onRefused(refusal, client, start);
        } finally {
            second.onRefused(refusal, client, start);
        }
    }

    @Override
    public void onBuffersFull(String client, RequestStart start) {
        try {
            first.onBuffersFull(client, start);
        } finally {
            second.onBuffersFull(client, start);
        }
    }

    @Override
    public void onAbandoned(Exchange exchange, Abandonment reason) {
        try {
            first.onAbandoned(exchange, reason);
        } finally {
            second.onAbandoned(exchange, reason);
        }
    }

    @Override
    public void onLateAnswer(Exchange exchange) {
        try {
            first.onLateAnswer(exchange);
        } finally {
            second.onLateAnswer(exchange);
        }
    }

    @Override
    public void onHandlerFailed(Exchange exchange, Throwable failure) {
        try {
            first.onHandlerFailed(exchange, failure);
        } finally {
            second.onHandlerFailed(exchange, failure);
        }
    }

    @Override
    public void onBadResponse(Exchange exchange, ResponseFault fault) {
        try {
            first.onBadResponse(exchange, fault);
        } finally {
            second.onBadResponse(exchange, fault);
        }
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        try {
            first.onAcceptFailed(failure);
        } finally {
            second.onAcceptFailed(failure);
        }
    }

    @Override
    public void onAcceptPaused() {
        try {
            first.onAcceptPaused();
        } finally {
            second.onAcceptPaused();
        }
    }

    @Override
    public void onAcceptResumed() {
        try {
            first.onAcceptResumed();
        } finally {
            second.onAcceptResumed();
        }
    }

    @Override
    public void onInternalFailure(Throwable failure) {
        try {
            first.onInternalFailure(failure);
        } finally {
            second.onInternalFailure(failure);
        }
    }
}

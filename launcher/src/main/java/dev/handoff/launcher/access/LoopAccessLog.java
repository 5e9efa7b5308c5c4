package dev.handoff.launcher.access;

import dev.handoff.http.Headers;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.RequestStart;
import dev.handoff.http.TraceParent;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.process.dispatch.RequestProgress;
import dev.handoff.server.Abandonment;
import dev.handoff.server.Exchange;
import dev.handoff.server.ServerListener;
import dev.handoff.server.StreamEnd;
import dev.handoff.server.WebSocketEnd;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Listens to the requests of one event loop, and belongs to its thread. */
final class LoopAccessLog implements ServerListener {
    private final EntryRing ring;
    private final AccessWriter writer;

    LoopAccessLog(EntryRing ring, AccessWriter writer) {
        this.ring = ring;
        this.writer = writer;
    }

    @Override
    public void onResponse(Exchange exchange, int status, int bodyBytes) {
        add(entry(exchange, status, bodyBytes, exchange.error()));
    }

    @Override
    public void onStreamEnded(
            Exchange exchange, int status, long bodyBytes, long nanos, StreamEnd how) {
        String error = how == StreamEnd.COMPLETE ? null : how.name().toLowerCase(Locale.ROOT);
        add(entry(exchange, status, bodyBytes, error));
    }

    /** With the bytes of all messages to the client. */
    @Override
    public void onWebSocketClosed(Exchange exchange, WebSocketEnd end) {
        String error =
                end.code() == CloseCode.NORMAL || end.code() == CloseCode.NONE
                        ? null
                        : "websocket_" + end.code();
        add(entry(exchange, 101, end.sentBytes(), error));
    }

    /** After a deadline the response follows, and is logged. A refusal was. */
    @Override
    public void onAbandoned(Exchange exchange, Abandonment reason) {
        switch (reason) {
            case CLIENT_GONE -> add(entry(exchange, AccessEntry.CLIENT_GONE, 0, "client_gone"));
            case CONTENT_CUT, DEADLINE, STREAM_IDLE, BAD_RESPONSE, NO_CONTENT -> {}
            case SERVER_STOPPED -> add(entry(exchange, AccessEntry.NONE, 0, "server_stopped"));
        }
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start, int bodyBytes) {
        add(unserved(refusal.status(), refusal.code(), client, start, bodyBytes));
    }

    @Override
    public void onLeftInRequest(String client, RequestStart start) {
        add(unserved(AccessEntry.CLIENT_GONE, "client_gone", client, start, 0));
    }

    @Override
    public void onSpoolFull(String client, RequestStart start, boolean whole, int bodyBytes) {
        if (!whole) {
            add(unserved(503, "spool_full", client, start, bodyBytes));
        }
    }

    @Override
    public void onBuffersFull(String client, RequestStart start, int bodyBytes) {
        add(unserved(503, "buffers_full", client, start, bodyBytes));
    }

    @Override
    public void onRequestEvicted(String client, RequestStart start, int bodyBytes) {
        add(unserved(503, "request_evicted", client, start, bodyBytes));
    }

    private void add(AccessEntry entry) {
        if (ring.offer(entry)) {
            writer.added(ring);
        } else {
            writer.drop();
        }
    }

    private static AccessEntry entry(
            Exchange exchange, int status, long bodyBytes, @Nullable String error) {
        Request request = exchange.request();
        Headers headers = request.headers();
        RequestProgress progress = RequestProgress.of(exchange);
        String worker = progress == null ? null : progress.worker();
        long now = exchange.loop().nanoTime();
        return new AccessEntry(
                System.currentTimeMillis(),
                exchange.client(),
                request.method(),
                request.target(),
                request.version().number(),
                status,
                bodyBytes,
                Math.max(0, now - exchange.arrivedNanos()),
                progress == null ? AccessEntry.UNKNOWN : progress.waitNanos(now),
                progress == null || worker == null
                        ? AccessEntry.UNKNOWN
                        : progress.handlerNanos(now),
                progress == null ? null : progress.pool(),
                worker,
                exchange.requestId(),
                TraceParent.traceId(headers),
                headers.first("user-agent"),
                headers.first("referer"),
                error);
    }

    private static AccessEntry unserved(
            int status, String error, String client, RequestStart start, int bodyBytes) {
        return new AccessEntry(
                System.currentTimeMillis(),
                client,
                start.method(),
                start.target(),
                null,
                status,
                bodyBytes,
                AccessEntry.UNKNOWN,
                AccessEntry.UNKNOWN,
                AccessEntry.UNKNOWN,
                null,
                null,
                null,
                null,
                null,
                null,
                error);
    }
}

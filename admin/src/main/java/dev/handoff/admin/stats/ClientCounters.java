package dev.handoff.admin.stats;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.http.ResponseFault;
import dev.handoff.process.dispatch.RequestProgress;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.Exchange;
import dev.handoff.server.ServerListener;
import dev.handoff.server.StreamEnd;
import dev.handoff.server.WebSocketEnd;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Counts what the server does for the clients on one loop. Belongs to that loop's thread. */
final class ClientCounters implements ServerListener {
    private static final int SWITCHING_PROTOCOLS = 101;

    private final Map<String, ResponseCounters> responses = new HashMap<>();
    private final ResponseCounters unrouted = new ResponseCounters();
    private final EnumCounters<ConnectionEnd> closed = new EnumCounters<>(ConnectionEnd.class);
    private final EnumCounters<Abandonment> abandoned = new EnumCounters<>(Abandonment.class);
    private final EnumCounters<StreamEnd> streamEnds = new EnumCounters<>(StreamEnd.class);
    private final DurationRecorder streamDurations = new DurationRecorder();
    private final CloseCodeCounters closeCodes = new CloseCodeCounters();
    private final DurationRecorder webSocketDurations = new DurationRecorder();
    private final EnumCounters<Refusal> refused = new EnumCounters<>(Refusal.class);
    private final EnumCounters<ServerCount> counts;
    private boolean acceptPaused;
    private int peak;

    /**
     * @param counts those of the loop, which others of its counters write too
     */
    ClientCounters(EnumCounters<ServerCount> counts) {
        this.counts = counts;
    }

    /** Whether others wait, because as many connections are open as the limit allows. */
    boolean isAcceptPaused() {
        return acceptPaused;
    }

    /** The most connections that were open at once since this was last asked. */
    int takePeak() {
        int taken = peak;
        peak = 0;
        return taken;
    }

    CountsBy<ConnectionEnd> closed() {
        return closed.totals();
    }

    CountsBy<Abandonment> abandoned() {
        return abandoned.totals();
    }

    CountsBy<StreamEnd> streamEnds() {
        return streamEnds.totals();
    }

    Durations streamDurations() {
        return streamDurations.copy();
    }

    CountsBy<String> closeCodes() {
        return closeCodes.totals();
    }

    Durations webSocketDurations() {
        return webSocketDurations.copy();
    }

    CountsBy<Refusal> refused() {
        return refused.totals();
    }

    ResponseTotals unrouted() {
        return unrouted.totals();
    }

    /** By the names of the pools that got the requests. */
    Map<String, ResponseTotals> responses() {
        Map<String, ResponseTotals> totals = new HashMap<>();
        responses.forEach((pool, counters) -> totals.put(pool, counters.totals()));
        return totals;
    }

    @Override
    public void onAccepted(int open) {
        peak = Math.max(peak, open);
    }

    @Override
    public void onConnectionOpened(String peer) {
        counts.count(ServerCount.ACCEPTED);
    }

    @Override
    public void onConnectionClosed(ConnectionEnd end) {
        closed.count(end);
    }

    @Override
    public void onReceived(int bytes) {
        counts.add(ServerCount.BYTES_IN, bytes);
    }

    @Override
    public void onSent(long bytes) {
        counts.add(ServerCount.BYTES_OUT, bytes);
    }

    @Override
    public void onRequest(Exchange exchange) {
        counts.count(ServerCount.RECEIVED);
        counts.add(ServerCount.BODY_BYTES_IN, exchange.request().body().sizeBytes());
    }

    @Override
    public void onContentArrived(Exchange exchange) {
        counts.add(ServerCount.BODY_BYTES_IN, exchange.request().body().sizeBytes());
    }

    @Override
    public void onResponse(Exchange exchange, int status, int bodyBytes) {
        counts.add(ServerCount.BODY_BYTES_OUT, bodyBytes);
        countResponse(exchange, status);
    }

    /** It counts as answered from here on. */
    @Override
    public void onStreamBegun(Exchange exchange, int status) {
        counts.count(ServerCount.STREAMS_BEGUN);
        countResponse(exchange, status);
    }

    @Override
    public void onStreamEnded(
            Exchange exchange, int status, long bodyBytes, long nanos, StreamEnd how) {
        counts.add(ServerCount.BODY_BYTES_OUT, bodyBytes);
        counts.add(ServerCount.STREAM_BYTES, bodyBytes);
        streamEnds.count(how);
        streamDurations.record(nanos);
    }

    /** It counts as answered from here on, with 101. */
    @Override
    public void onWebSocketOpened(Exchange exchange) {
        counts.count(ServerCount.WEBSOCKETS_OPENED);
        countResponse(exchange, SWITCHING_PROTOCOLS);
    }

    @Override
    public void onWebSocketMessage(boolean fromClient, long bytes) {
        counts.count(fromClient ? ServerCount.MESSAGES_IN : ServerCount.MESSAGES_OUT);
        counts.add(
                fromClient ? ServerCount.MESSAGE_BYTES_IN : ServerCount.MESSAGE_BYTES_OUT, bytes);
    }

    @Override
    public void onWebSocketClosed(Exchange exchange, WebSocketEnd end) {
        closeCodes.count(end.code());
        webSocketDurations.record(end.nanos());
    }

    private void countResponse(Exchange exchange, int status) {
        RequestProgress progress = RequestProgress.of(exchange);
        ResponseCounters counters = progress == null ? unrouted : responsesOf(progress.pool());
        counters.count(
                exchange.request().method(),
                status,
                exchange.loop().nanoTime() - exchange.arrivedNanos());
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start, int bodyBytes) {
        refused.count(refusal);
    }

    @Override
    public void onLeftInRequest(String client, RequestStart start) {
        counts.count(ServerCount.LEFT_IN_REQUEST);
    }

    @Override
    public void onSpoolFull(String client, RequestStart start, boolean whole, int bodyBytes) {
        counts.count(ServerCount.SPOOL_FULL);
    }

    @Override
    public void onBuffersFull(String client, RequestStart start, int bodyBytes) {
        counts.count(ServerCount.BUFFERS_FULL);
    }

    @Override
    public void onRequestEvicted(String client, RequestStart start, int bodyBytes) {
        counts.count(ServerCount.EVICTED);
    }

    @Override
    public void onClientLimit(String client) {
        counts.count(ServerCount.OVER_CLIENT_LIMIT);
    }

    @Override
    public void onAbandoned(Exchange exchange, Abandonment reason) {
        abandoned.count(reason);
    }

    @Override
    public void onDroppedResponse(Exchange exchange) {
        counts.count(ServerCount.DROPPED_RESPONSES);
    }

    @Override
    public void onHandlerFailed(Exchange exchange, Throwable failure) {
        counts.count(ServerCount.HANDLER_FAILURES);
    }

    @Override
    public void onBadResponse(Exchange exchange, ResponseFault fault) {
        counts.count(ServerCount.BAD_RESPONSES);
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        counts.count(ServerCount.ACCEPT_FAILURES);
    }

    @Override
    public void onAcceptPaused() {
        counts.count(ServerCount.ACCEPT_PAUSES);
        acceptPaused = true;
    }

    @Override
    public void onAcceptResumed() {
        acceptPaused = false;
    }

    private ResponseCounters responsesOf(String pool) {
        ResponseCounters counters = responses.get(pool);
        if (counters == null) {
            counters = new ResponseCounters();
            responses.put(pool, counters);
        }
        return counters;
    }
}

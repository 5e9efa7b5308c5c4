package dev.handoff.admin.stats;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.http.ResponseFault;
import dev.handoff.process.dispatch.RequestProgress;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.Exchange;
import dev.handoff.server.ServerListener;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts what the server does for the clients on one loop. Belongs to that loop's thread, and
 * writes nothing else.
 */
final class ClientCounters implements ServerListener {
    private final Map<String, ResponseCounters> responses = new HashMap<>();
    private final ResponseCounters unrouted = new ResponseCounters();
    private final ReasonCounters<ConnectionEnd> closed = new ReasonCounters<>(ConnectionEnd.class);
    private final ReasonCounters<Abandonment> abandoned = new ReasonCounters<>(Abandonment.class);
    private final ReasonCounters<Refusal> refused = new ReasonCounters<>(Refusal.class);
    private long opened;
    private long overClientLimit;
    private long acceptPauses;
    private long acceptFailures;
    private long received;
    private long answered;
    private long droppedResponses;
    private long badResponses;
    private long handlerFailures;
    private long buffersFull;
    private long evicted;
    private long bytesIn;
    private long bytesOut;
    private long bodyBytesIn;
    private long bodyBytesOut;
    private boolean acceptPaused;
    private int peak;

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

    ConnectionTotals connections() {
        return new ConnectionTotals(
                opened, overClientLimit, acceptPauses, acceptFailures, closed.totals());
    }

    RequestTotals requests() {
        return new RequestTotals(
                received,
                answered,
                abandoned.totals(),
                droppedResponses,
                badResponses,
                handlerFailures,
                buffersFull,
                evicted,
                bytesIn,
                bytesOut,
                bodyBytesIn,
                bodyBytesOut);
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
    public void onConnectionOpened() {
        opened++;
    }

    @Override
    public void onConnectionClosed(ConnectionEnd end) {
        closed.count(end);
    }

    @Override
    public void onReceived(int bytes) {
        bytesIn += bytes;
    }

    @Override
    public void onSent(long bytes) {
        bytesOut += bytes;
    }

    @Override
    public void onRequest(Exchange exchange) {
        received++;
        bodyBytesIn += exchange.request().body().sizeBytes();
    }

    @Override
    public void onResponse(Exchange exchange, int status, int bodyBytes) {
        answered++;
        bodyBytesOut += bodyBytes;
        RequestProgress progress = RequestProgress.of(exchange);
        ResponseCounters counters = progress == null ? unrouted : responsesOf(progress.pool());
        counters.count(
                exchange.request().method(),
                status,
                exchange.loop().nanoTime() - exchange.arrivedNanos());
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start) {
        refused.count(refusal);
    }

    @Override
    public void onBuffersFull(String client, RequestStart start) {
        buffersFull++;
    }

    @Override
    public void onRequestEvicted(String client, RequestStart start) {
        evicted++;
    }

    @Override
    public void onClientLimit(String client) {
        overClientLimit++;
    }

    @Override
    public void onAbandoned(Exchange exchange, Abandonment reason) {
        abandoned.count(reason);
    }

    @Override
    public void onDroppedResponse(Exchange exchange) {
        droppedResponses++;
    }

    @Override
    public void onHandlerFailed(Exchange exchange, Throwable failure) {
        handlerFailures++;
    }

    @Override
    public void onBadResponse(Exchange exchange, ResponseFault fault) {
        badResponses++;
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        acceptFailures++;
    }

    @Override
    public void onAcceptPaused() {
        acceptPauses++;
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

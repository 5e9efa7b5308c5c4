package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.http.ResponseFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps what the server tells, as lines: the event, the request's target if any, the detail. */
public final class RecordingListener implements ServerListener {
    /** What was known of the requests that were refused. */
    final List<RequestStart> refusedStarts = new CopyOnWriteArrayList<>();

    /** The sizes of the content that they got. */
    final List<Integer> refusedBytes = new CopyOnWriteArrayList<>();

    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final AtomicLong receivedBytes = new AtomicLong();
    private final Queue<Integer> reads = new ConcurrentLinkedQueue<>();
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicInteger mostOpen = new AtomicInteger();

    /** Drops events until {@code wanted} comes. */
    public void await(String wanted) throws InterruptedException {
        List<String> others = new ArrayList<>();
        while (true) {
            String event = events.poll(10, TimeUnit.SECONDS);
            assertNotNull(event, () -> wanted + " did not come, but " + others);
            if (event.equals(wanted)) {
                return;
            }
            others.add(event);
        }
    }

    /** All that was told and not awaited yet. */
    public List<String> told() {
        return List.copyOf(events);
    }

    public long receivedBytes() {
        return receivedBytes.get();
    }

    public long sentBytes() {
        return sentBytes.get();
    }

    /** How many bytes were read at once, each time. */
    public List<Integer> reads() {
        return List.copyOf(reads);
    }

    /** The most connections that were open when one was accepted. */
    public int mostOpen() {
        return mostOpen.get();
    }

    @Override
    public void onAccepted(int open) {
        mostOpen.accumulateAndGet(open, Math::max);
    }

    @Override
    public void onReceived(int bytes) {
        receivedBytes.addAndGet(bytes);
        reads.add(bytes);
    }

    @Override
    public void onSent(long bytes) {
        sentBytes.addAndGet(bytes);
    }

    @Override
    public void onConnectionOpened(String peer) {
        events.add("opened");
    }

    @Override
    public void onConnectionClosed(ConnectionEnd end) {
        events.add("closed " + end);
    }

    @Override
    public void onRequest(Exchange exchange) {
        tell("request", exchange);
    }

    @Override
    public void onResponse(Exchange exchange, int status, int bodyBytes) {
        tell("response", exchange, status);
    }

    @Override
    public void onStreamBegun(Exchange exchange, int status) {
        tell("begun", exchange, status);
    }

    @Override
    public void onStreamEnded(
            Exchange exchange, int status, long bodyBytes, long nanos, StreamEnd how) {
        tell("stream", exchange, how + " " + bodyBytes);
    }

    @Override
    public void onWebSocketOpened(Exchange exchange) {
        tell("websocket opened", exchange);
    }

    @Override
    public void onWebSocketClosed(Exchange exchange, WebSocketEnd end) {
        tell(
                "websocket closed",
                exchange,
                "%d, in %d of %d, out %d of %d"
                        .formatted(
                                end.code(),
                                end.receivedMessages(),
                                end.receivedBytes(),
                                end.sentMessages(),
                                end.sentBytes()));
    }

    @Override
    public void onSpoolFull(String client, RequestStart start, boolean whole, int bodyBytes) {
        events.add("spool full " + start.method() + " " + start.target());
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start, int bodyBytes) {
        refusedStarts.add(start);
        refusedBytes.add(bodyBytes);
        events.add("refused " + refusal);
    }

    @Override
    public void onLeftInRequest(String client, RequestStart start) {
        events.add(("left " + start.method() + " " + start.target()).strip());
    }

    @Override
    public void onBuffersFull(String client, RequestStart start, int bodyBytes) {
        events.add("buffers full " + start.target());
    }

    @Override
    public void onRequestEvicted(String client, RequestStart start, int bodyBytes) {
        events.add("evicted " + start.target());
    }

    @Override
    public void onClientLimit(String client) {
        events.add("client limit");
    }

    @Override
    public void onAbandoned(Exchange exchange, Abandonment reason) {
        tell("abandoned", exchange, reason);
    }

    @Override
    public void onContentArrived(Exchange exchange) {
        tell("content", exchange, exchange.request().body().sizeBytes());
    }

    @Override
    public void onDroppedResponse(Exchange exchange) {
        tell("late", exchange);
    }

    @Override
    public void onHandlerFailed(Exchange exchange, Throwable failure) {
        tell("failed", exchange, String.valueOf(failure.getMessage()));
    }

    @Override
    public void onBadResponse(Exchange exchange, ResponseFault fault) {
        tell("bad response", exchange, fault);
    }

    @Override
    public void onAcceptPaused() {
        events.add("paused");
    }

    @Override
    public void onAcceptResumed() {
        events.add("resumed");
    }

    private void tell(String event, Exchange exchange) {
        events.add(event + " " + exchange.request().target());
    }

    private void tell(String event, Exchange exchange, Object detail) {
        events.add(event + " " + exchange.request().target() + " " + detail);
    }
}

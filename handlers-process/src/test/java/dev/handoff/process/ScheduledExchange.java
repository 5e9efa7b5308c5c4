package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import dev.handoff.server.Abandonment;
import dev.handoff.server.Exchange;
import dev.handoff.server.Failure;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.WebSocket;
import dev.handoff.server.WebSocketListener;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An exchange of a random schedule: it keeps its own deadline as the server does, and knows how
 * often a worker may have seen it. For the one thread of the schedule.
 */
final class ScheduledExchange implements Exchange {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final EventLoop loop;
    private final Request request;
    private final long arrivedNanos;
    private final boolean replayable;
    private final Timer deadline;
    private @Nullable Consumer<Abandonment> onAbandoned;
    private @Nullable Abandonment abandoned;
    private @Nullable Object attachment;
    private int responses;

    /** How often a worker has read it whole, and how often one gave it back after that. */
    private int deliveries;

    private int retries;

    /**
     * @param replayable whether the pool may have it done twice
     */
    ScheduledExchange(EventLoop loop, String method, String target, Body body, boolean replayable) {
        this.loop = loop;
        this.request =
                new Request(method, target, HttpVersion.HTTP_1_1, Headers.of("host", "a"), body);
        this.arrivedNanos = loop.nanoTime();
        this.replayable = replayable;
        this.deadline = loop.scheduleAt(deadlineNanos(), () -> abandon(Abandonment.DEADLINE));
    }

    void delivered() {
        deliveries++;
        int most = 1 + retries + (replayable ? 1 : 0);
        assertTrue(deliveries <= most, this + " was handed over " + deliveries + " times");
    }

    void givenBack() {
        retries++;
    }

    void abandon(Abandonment reason) {
        if (isDone()) {
            return;
        }
        abandoned = reason;
        deadline.cancel();
        Consumer<Abandonment> action = onAbandoned;
        if (action != null) {
            action.accept(reason);
        }
    }

    @Override
    public Request request() {
        return request;
    }

    @Override
    public String client() {
        return "192.0.2.1:49152";
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public long arrivedNanos() {
        return arrivedNanos;
    }

    @Override
    public long deadlineNanos() {
        return arrivedNanos + TIMEOUT.toNanos();
    }

    @Override
    public void deadlineNanos(long newDeadlineNanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void attach(Object newAttachment) {
        attachment = newAttachment;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public boolean isDone() {
        return responses > 0 || abandoned != null;
    }

    @Override
    public void respond(Response response) {
        assertTrue(deliveries > 0, this + " is answered by nobody");
        assertEquals(request.target(), response.body().toUtf8(), "a response to another request");
        answer();
    }

    @Override
    public ResponseStream stream(Response head, LongConsumer onRoom) {
        throw new UnsupportedOperationException();
    }

    @Override
    public WebSocket accept(Headers headers, WebSocketListener listener) {
        throw new UnsupportedOperationException("WebSockets are tested over HTTP");
    }

    @Override
    public void publish(Response head, Flow.Publisher<Body> content) {
        throw new UnsupportedOperationException("what comes in pieces is tested over HTTP");
    }

    @Override
    public void fail(Failure failure) {
        answer();
    }

    @Override
    public void fail(Throwable failure) {
        throw new AssertionError(this + " failed", failure);
    }

    @Override
    public void onAbandoned(Consumer<Abandonment> action) {
        Abandonment reason = abandoned;
        if (reason == null) {
            onAbandoned = action;
        } else {
            action.accept(reason);
        }
    }

    private void answer() {
        responses++;
        assertEquals(1, responses, this + " is answered again");
        deadline.cancel();
    }

    @Override
    public String toString() {
        return request.method() + " " + request.target();
    }
}

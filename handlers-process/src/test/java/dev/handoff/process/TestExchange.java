package dev.handoff.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.Abandonment;
import dev.handoff.server.Exchange;
import dev.handoff.server.Failure;
import dev.handoff.server.ResponseStream;
import dev.handoff.server.WebSocket;
import dev.handoff.server.WebSocketListener;
import dev.handoff.testing.TestLoops;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** An exchange without a client: what it is answered, a test can wait for. */
public final class TestExchange implements Exchange {
    public static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Request request;
    private final EventLoop loop;
    private final long arrivedNanos;
    private long deadlineNanos;
    private final CompletableFuture<Object> response = new CompletableFuture<>();
    private final AtomicInteger responses = new AtomicInteger();
    private @Nullable Consumer<Abandonment> onAbandoned;
    private @Nullable Abandonment abandoned;
    private @Nullable Object attachment;

    private TestExchange(EventLoop loop, Request request) {
        this.loop = loop;
        this.request = request;
        this.arrivedNanos = loop.clock().nanoTime();
        this.deadlineNanos = arrivedNanos + TIMEOUT.toNanos();
    }

    public static TestExchange get(EventLoop loop, String target) {
        return of(loop, "GET", target, Body.EMPTY);
    }

    public static TestExchange of(EventLoop loop, String method, String target, Body body) {
        return new TestExchange(
                loop,
                new Request(
                        method, target, HttpVersion.HTTP_1_1, Headers.of("host", "test"), body));
    }

    /** Waits for the response of a worker. */
    public Response response() {
        return assertInstanceOf(Response.class, TestLoops.await(response));
    }

    /** Waits for its response, which has to have this body. */
    public void assertResponse(String body) {
        assertEquals(body, response().body().toUtf8());
    }

    /** Waits for a fault of the core's or of the worker's. */
    public Failure failure() {
        return assertInstanceOf(Failure.class, TestLoops.await(response));
    }

    public void assertFailed(int status, String code) {
        Failure failure = failure();
        assertEquals(status + " " + code, failure.status() + " " + failure.code());
    }

    public boolean isAnswered() {
        return responses.get() > 0;
    }

    public int responses() {
        return responses.get();
    }

    /** As the server does when the client leaves or the deadline passes. */
    public void abandon(Abandonment reason) {
        TestLoops.on(
                loop,
                () -> {
                    abandoned = reason;
                    Consumer<Abandonment> action = onAbandoned;
                    if (action != null) {
                        action.accept(reason);
                    }
                    return true;
                });
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
        return deadlineNanos;
    }

    @Override
    public void deadlineNanos(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
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
        return response.isDone();
    }

    @Override
    public void respond(Response response) {
        take(response);
    }

    @Override
    public ResponseStream stream(Response head, LongConsumer onRoom) {
        throw new UnsupportedOperationException("what comes in pieces is tested over HTTP");
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
        take(failure);
    }

    @Override
    public void fail(Throwable failure) {
        take(failure);
    }

    @Override
    public void onAbandoned(Consumer<Abandonment> action) {
        if (abandoned == null) {
            onAbandoned = action;
        } else {
            action.accept(abandoned);
        }
    }

    private void take(Object given) {
        responses.incrementAndGet();
        response.complete(given);
    }
}

package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Asks a publisher for the pieces of a response, one at a time, while there is room for more. The
 * publisher calls it from any thread, the loop tells it of room.
 */
final class PublishedContent implements Flow.Subscriber<Body> {
    private final AtomicLong roomBytes;
    private final ResponseStream stream;

    /** Guarded by this, as the next. */
    private Flow.@Nullable Subscription subscription;

    private boolean cancelled;

    private PublishedContent(Exchange exchange, Response head) {
        this.roomBytes = new AtomicLong(ResponseStream.FIRST_ROOM_BYTES - head.body().sizeBytes());
        this.stream = exchange.stream(head, this::roomCame);
    }

    static void begin(Exchange exchange, Response head, Flow.Publisher<Body> content) {
        PublishedContent begun = new PublishedContent(exchange, head);
        exchange.loop().tryRun(() -> exchange.onAbandoned(reason -> begun.cancel()));
        content.subscribe(begun);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        synchronized (this) {
            if (subscription != null || cancelled) {
                given.cancel();
                return;
            }
            subscription = Objects.requireNonNull(given);
        }
        if (roomBytes.get() > 0) {
            given.request(1);
        }
    }

    @Override
    public void onNext(Body piece) {
        stream.write(piece);
        if (roomBytes.addAndGet(-piece.sizeBytes()) > 0) {
            request();
        }
    }

    @Override
    public void onError(Throwable failure) {
        stream.fail(failure);
    }

    @Override
    public void onComplete() {
        stream.end();
    }

    /** Asks for the next piece, if the last one left no room and so did not. */
    private void roomCame(long bytes) {
        long before = roomBytes.getAndAdd(bytes);
        if (before <= 0 && before + bytes > 0) {
            request();
        }
    }

    private void request() {
        Flow.Subscription asked;
        synchronized (this) {
            asked = cancelled ? null : subscription;
        }
        if (asked != null) {
            asked.request(1);
        }
    }

    private void cancel() {
        Flow.Subscription ended;
        synchronized (this) {
            cancelled = true;
            ended = subscription;
        }
        if (ended != null) {
            ended.cancel();
        }
    }
}

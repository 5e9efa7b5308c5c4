package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.testing.RawClient;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Responses whose content a publisher gives. */
class PublishedContentTest {
    private static final int PIECE_BYTES = 10_000;

    /** As many as are asked for before anything has left. */
    private static final int FIRST_PIECES = ResponseStream.FIRST_ROOM_BYTES / PIECE_BYTES + 1;

    private final HeldRequests held = new HeldRequests();

    @Test
    void eachPieceLeavesAtOnceAndTheEndBehindThem() throws Exception {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            SubmissionPublisher<Body> events = new SubmissionPublisher<>();
            client.get("/events");
            held.take().publish(ok("a"), events);
            assertEquals(200, client.readHead().status());
            expect(client, "1\r\na\r\n");
            events.submit(Body.utf8("one"));
            expect(client, "3\r\none\r\n");
            events.submit(Body.utf8("two"));
            expect(client, "3\r\ntwo\r\n");
            events.close();
            expect(client, "0\r\n\r\n");
        }
    }

    @Test
    void nothingIsAskedForWhileTheClientHasTooMuchToRead() throws Exception {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            // Its response waits behind another, so that nothing leaves.
            client.get("/first").get("/published");
            Exchange before = held.take();
            Numbers numbers = new Numbers();
            held.take().publish(ok(""), numbers);
            server.settle();
            assertEquals(FIRST_PIECES, numbers.given.get());
            HeldRequests.answer(before);
            assertEquals("/first", client.readResponse().text());
            client.readHead();
            client.read(20 * PIECE_BYTES);
            server.settleUntil(() -> numbers.given.get() > 20);
            client.reset();
            server.settleUntil(numbers::isCancelled);
        }
    }

    @Test
    void anErrorOfThePublisherIsOneOfTheHandler() throws Exception {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect();
                SubmissionPublisher<Body> events = new SubmissionPublisher<>()) {
            client.get("/events");
            held.take().publish(ok("a"), events);
            client.readHead();
            expect(client, "1\r\na\r\n");
            events.closeExceptionally(new IllegalStateException("no more"));
            server.listener.await("failed /events no more");
            assertEquals("", client.readToEnd());
        }
    }

    @Test
    void aPublisherThatComesTooLateIsCancelled() throws Exception {
        try (TestServer server = TestServer.start(held);
                RawClient client = server.connect()) {
            client.get("/events");
            Exchange exchange = held.take();
            client.reset();
            server.listener.await("closed RESET");
            Numbers numbers = new Numbers();
            exchange.publish(ok(""), numbers);
            server.settleUntil(numbers::isCancelled);
            assertTrue(numbers.given.get() <= FIRST_PIECES);
        }
    }

    private static Response ok(String first) {
        return Response.of(200, Headers.EMPTY, Body.utf8(first));
    }

    private static void expect(RawClient client, String bytes) throws Exception {
        assertEquals(bytes, new String(client.read(bytes.length()), StandardCharsets.US_ASCII));
    }

    /** Publishes as many pieces as it is asked for, on the thread that asks. */
    private static final class Numbers implements Flow.Publisher<Body>, Flow.Subscription {
        final AtomicInteger given = new AtomicInteger();
        private final AtomicInteger asked = new AtomicInteger();
        private Flow.@Nullable Subscriber<? super Body> subscriber;
        private volatile boolean cancelled;

        @Override
        public void subscribe(Flow.Subscriber<? super Body> newSubscriber) {
            subscriber = newSubscriber;
            newSubscriber.onSubscribe(this);
        }

        @Override
        public void request(long count) {
            if (asked.getAndIncrement() > 0) {
                return;
            }
            do {
                if (!cancelled) {
                    given.incrementAndGet();
                    Objects.requireNonNull(subscriber).onNext(Body.of(new byte[PIECE_BYTES]));
                }
            } while (asked.decrementAndGet() > 0);
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        boolean isCancelled() {
            return cancelled;
        }
    }
}

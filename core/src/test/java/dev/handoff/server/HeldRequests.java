package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.handoff.http.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A handler that answers nothing: the test takes the requests and answers from its own thread. */
final class HeldRequests implements Handler {
    private final LinkedBlockingQueue<Exchange> held = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> abandoned = new LinkedBlockingQueue<>();

    @Override
    public void handle(Exchange exchange) {
        exchange.onAbandoned(reason -> abandoned.add(exchange.request().target() + " " + reason));
        held.add(exchange);
    }

    Exchange take() throws InterruptedException {
        Exchange next = held.poll(10, TimeUnit.SECONDS);
        assertNotNull(next, "no request came");
        return next;
    }

    List<Exchange> take(int count) throws InterruptedException {
        List<Exchange> taken = new ArrayList<>();
        while (taken.size() < count) {
            taken.add(take());
        }
        return taken;
    }

    /** How many were handled and not taken. */
    int waiting() {
        return held.size();
    }

    String takeAbandoned() throws InterruptedException {
        String next = abandoned.poll(10, TimeUnit.SECONDS);
        assertNotNull(next, "no request was abandoned");
        return next;
    }

    boolean noneAbandoned() {
        return abandoned.isEmpty();
    }

    /** Answers with the request's own target. */
    static void answer(Exchange exchange) {
        exchange.respond(Response.text(200, exchange.request().target()));
    }
}

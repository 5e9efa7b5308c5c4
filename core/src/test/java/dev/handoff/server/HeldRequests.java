package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.handoff.http.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A handler that answers nothing: the test takes the requests and answers from its own thread. */
public final class HeldRequests implements Handler {
    private final LinkedBlockingQueue<Exchange> held = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> abandoned = new LinkedBlockingQueue<>();

    @Override
    public void handle(Exchange exchange) {
        exchange.onAbandoned(reason -> abandoned.add(exchange.request().target() + " " + reason));
        held.add(exchange);
    }

    public Exchange take() throws InterruptedException {
        Exchange next = held.poll(10, TimeUnit.SECONDS);
        assertNotNull(next, "no request came");
        return next;
    }

    public List<Exchange> take(int count) throws InterruptedException {
        List<Exchange> taken = new ArrayList<>();
        while (taken.size() < count) {
            taken.add(take());
        }
        return taken;
    }

    /** How many were handled and not taken. */
    public int waiting() {
        return held.size();
    }

    public String takeAbandoned() throws InterruptedException {
        String next = abandoned.poll(10, TimeUnit.SECONDS);
        assertNotNull(next, "no request was abandoned");
        return next;
    }

    public boolean noneAbandoned() {
        return abandoned.isEmpty();
    }

    /** Answers with the request's own target. */
    public static void answer(Exchange exchange) {
        exchange.respond(Response.text(200, exchange.request().target()));
    }
}

package dev.handoff.launcher;

import dev.handoff.http.Request;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.WorkerPool;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.forwarding.Origin;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hands each request to one of several pools: to the least filled one, and of equals to the one on
 * the loop of the client, since crossing to another loop costs both of them.
 */
final class PoolChoice implements Handler {
    /** A pool, and the handler that brings requests to it. */
    record Candidate(WorkerPool pool, Handler handler) {}

    private final List<Candidate> candidates;

    /**
     * @param candidates at least one; all take content as it comes, or none does
     */
    PoolChoice(List<Candidate> candidates) {
        this.candidates = List.copyOf(candidates);
    }

    @Override
    public boolean takesContentAsItComes(Request head, Origin origin) {
        return candidates.getFirst().handler.takesContentAsItComes(head, origin);
    }

    @Override
    public void handle(Exchange exchange) {
        choose(exchange.loop()).handler.handle(exchange);
    }

    /** The one that gets a request whose client is on that loop. */
    Candidate choose(EventLoop loop) {
        int count = candidates.size();
        int first = firstAt(loop);
        Candidate best = candidates.get(first);
        for (int i = 1; i < count; i++) {
            Candidate next = candidates.get((first + i) % count);
            if (next.pool.load().isLessThan(best.pool.load())) {
                best = next;
            }
        }
        return best;
    }

    /** That of the loop; any, if it has none, so that the others share its requests. */
    private int firstAt(EventLoop loop) {
        for (int i = 0; i < candidates.size(); i++) {
            if (candidates.get(i).pool.loop() == loop) {
                return i;
            }
        }
        return ThreadLocalRandom.current().nextInt(candidates.size());
    }
}

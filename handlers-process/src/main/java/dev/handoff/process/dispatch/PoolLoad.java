package dev.handoff.process.dispatch;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How filled a pool is, for those who choose one of several pools. Any thread reads it.
 *
 * <p>A request counts from the moment at which it is on its way to the pool, so that loops that
 * choose at once see what the others have chosen.
 */
public final class PoolLoad {
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int places;

    /** A request is on its way to the pool. */
    void entered() {
        requests.incrementAndGet();
    }

    /** A request takes no place any more: it is over, or its response goes on in pieces. */
    void left() {
        requests.decrementAndGet();
    }

    /** How many requests take a place, or wait for one. */
    public int requests() {
        return requests.get();
    }

    /** The pool's workers take so many requests at once. */
    void places(int now) {
        if (places != now) {
            places = now;
        }
    }

    /**
     * Whether the requests here take a smaller part of the places. A pool without a place is fuller
     * than any other.
     */
    public boolean isLessThan(PoolLoad other) {
        int mine = places;
        int others = other.places;
        if (mine == 0 || others == 0) {
            return mine > others;
        }
        return (long) requests() * others < (long) other.requests() * mine;
    }
}

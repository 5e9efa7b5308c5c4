package dev.handoff.server;

import dev.handoff.loop.EventLoop;

/**
 * Limits the requests of one connection that begin in one turn of its loop. A request that the
 * server answers itself is over at once, and the next one could begin: a client that sends
 * thousands together would keep all others waiting. Belongs to the loop's thread.
 */
final class TurnShare {
    private static final int MOST = 16;

    /**
     * A request counts once more for each so many bytes of its target, whose path may be read in
     * many ways.
     */
    private static final int TARGET_BYTES = 1024;

    /** When this many have begun on the loop in one turn, each connection may begin one at most. */
    private static final int MANY_ON_LOOP = 512;

    /** Counts the requests that begin on a loop. */
    static final class OfLoop {
        private final EventLoop loop;
        private long turn;
        private int begun;

        OfLoop(EventLoop loop) {
            this.loop = loop;
        }

        private void count(int requests) {
            begun = turn == loop.turn() ? begun + requests : requests;
            turn = loop.turn();
        }

        private int share() {
            return turn == loop.turn() && begun >= MANY_ON_LOOP ? 1 : MOST;
        }
    }

    private final OfLoop all;
    private long turn;
    private int begun;

    TurnShare(OfLoop all) {
        this.all = all;
    }

    /**
     * A request begins, or what is as much work.
     *
     * @param targetBytes of the request
     */
    void count(int targetBytes) {
        int requests = 1 + targetBytes / TARGET_BYTES;
        begun = turn == all.loop.turn() ? begun + requests : requests;
        turn = all.loop.turn();
        all.count(requests);
    }

    /** Whether the next request has to wait for another turn. */
    boolean isUsedUp() {
        return turn == all.loop.turn() && begun >= all.share();
    }
}

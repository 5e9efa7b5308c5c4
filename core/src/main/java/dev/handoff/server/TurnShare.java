package dev.handoff.server;

import dev.handoff.loop.EventLoop;

/**
 * Limits the requests of one connection that begin in one turn of its loop, and its messages. A
 * request that the server answers itself is over at once, and the next one could begin: a client
 * that sends thousands together would keep all others waiting. What was more work than a turn has
 * room for counts in the turns behind it, too. Belongs to the loop's thread.
 */
final class TurnShare {
    private static final int MOST = 16;

    /**
     * A request counts once more for each so many bytes of its target, whose path may be read in
     * many ways.
     */
    private static final int TARGET_BYTES = 1024;

    /**
     * A message counts once more for each so many bytes. A mebibyte, which may come compressed in
     * one KiB, takes the core some 3 ms.
     */
    private static final int MESSAGE_BYTES = 2 * 1024;

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
     * A request begins.
     *
     * @param targetBytes the length of its target
     */
    void countRequest(int targetBytes) {
        count(1 + targetBytes / TARGET_BYTES);
    }

    /**
     * A message has come, or frames that are as much work as a small one.
     *
     * @param bytes of the message, decompressed
     */
    void countMessage(int bytes) {
        count(1 + bytes / MESSAGE_BYTES);
    }

    private void count(int work) {
        begun = left() + work;
        turn = all.loop.turn();
        all.count(work);
    }

    /** Whether what comes next has to wait for another turn. */
    boolean isUsedUp() {
        return left() >= all.share();
    }

    /** What has begun in this turn, and what was too much for those before. */
    private int left() {
        long turns = all.loop.turn() - turn;
        return turns >= begun / MOST + 1 ? 0 : begun - (int) turns * MOST;
    }
}

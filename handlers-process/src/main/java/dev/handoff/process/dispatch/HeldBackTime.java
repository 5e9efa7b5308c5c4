package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.server.ResponseRoom;
import java.time.Duration;

/**
 * Limits how long a worker is held back because there is no room for the body that it sends, while
 * that keeps others waiting. Belongs to the pool's loop.
 */
final class HeldBackTime {
    /** A body that keeps others waiting is given up when nobody was granted room for this long. */
    static final Duration STANDSTILL = Duration.ofMillis(250);

    /**
     * It is also given up when it has waited for this long itself. Where clients hold the room, the
     * waits for all bodies of its worker count together; the worker has all of its time again after
     * ten times as long.
     */
    static final Duration MOST = Duration.ofSeconds(1);

    /**
     * A body that comes by less than 64 KiB in this time loses its room to others that wait for it,
     * before these are given up. One of a pool that has less of the room than all of these has
     * {@link #MOST}.
     */
    static final Duration SLOW = Duration.ofMillis(150);

    private static final int FREE_PER_HOLD = 10;

    private final EventLoop loop;
    private final ResponseRoom room;

    /** When the worker was last held back, or let go on. */
    private long changedNanos;

    /** While held back: when a claim was seen to be granted to anybody. */
    private long grantSeenNanos;

    private long seenGrants;

    /** What {@link ResponseRoom#grants} said when a body was given up: others need not be tried. */
    private long hopelessAtGrants = -1;

    /** Whether clients were seen to hold the room, and not other responses that come. */
    private boolean waitsForClients;

    /** The rest of the time in which a worker may wait for clients. */
    private long leftForClientsNanos = MOST.toNanos();

    HeldBackTime(EventLoop loop, ResponseRoom room) {
        this.loop = loop;
        this.room = room;
        this.changedNanos = loop.nanoTime();
    }

    void begin() {
        long now = loop.nanoTime();
        long regained = (now - changedNanos) / FREE_PER_HOLD;
        leftForClientsNanos = Math.min(MOST.toNanos(), leftForClientsNanos + regained);
        changedNanos = now;
        waitsForClients = false;
        seenGrants = room.grants();
        boolean isHopeless = seenGrants == hopelessAtGrants;
        grantSeenNanos = isHopeless ? now - STANDSTILL.toNanos() : now;
    }

    void end() {
        long now = loop.nanoTime();
        if (waitsForClients) {
            leftForClientsNanos = Math.max(0, leftForClientsNanos - (now - changedNanos));
        }
        changedNanos = now;
    }

    /** The body was given up: the next one is not tried until room was granted to anybody. */
    void wasInVain() {
        hopelessAtGrants = seenGrants;
    }

    /** Whether a body is given up because other requests wait behind it. */
    boolean isOverForTheWorker() {
        waitsForClients = waitsForClients || room.isFullOfClients();
        long most = waitsForClients ? leftForClientsNanos : MOST.toNanos();
        return heldBackNanos() >= most || standstillNanos() >= STANDSTILL.toNanos();
    }

    /**
     * Whether a body that has come in part is given up because others wait for its room. It goes
     * before those that have none.
     */
    boolean isOverForTheRoom() {
        return heldBackNanos() >= MOST.toNanos() || standstillNanos() >= SLOW.toNanos();
    }

    private long heldBackNanos() {
        return loop.nanoTime() - changedNanos;
    }

    private long standstillNanos() {
        long now = loop.nanoTime();
        long grants = room.grants();
        if (grants != seenGrants) {
            seenGrants = grants;
            grantSeenNanos = now;
        }
        return now - grantSeenNanos;
    }
}

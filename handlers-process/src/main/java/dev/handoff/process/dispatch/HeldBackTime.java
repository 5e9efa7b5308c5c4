package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Limits how long the core holds a worker back for want of room for the body that it sends, while
 * others have to wait because of that. Belongs to the pool's loop.
 */
final class HeldBackTime {
    /** A body that keeps others waiting is given up when nobody was granted room for this long. */
    static final Duration STANDSTILL = Duration.ofMillis(250);

    /**
     * A body that keeps others waiting is also given up when it has waited for this long itself.
     * While clients hold the room, the waits for all bodies of one worker count together. The
     * worker regains this time at a tenth of the speed at which it was used.
     */
    static final Duration MOST = Duration.ofSeconds(1);

    /**
     * A body that comes by less than 64 KiB in this time loses its room to others that wait for it.
     * So it goes before they are given up. If its pool has less of the room than the pools of all
     * that wait, it has {@link #MOST} instead.
     */
    static final Duration SLOW = Duration.ofMillis(150);

    private static final int FREE_PER_HOLD = 10;

    private final EventLoop loop;
    private final LongSupplier grants;
    private final BooleanSupplier isFullOfClients;

    /** When the core last began to hold the worker back, or let it go on. */
    private long changedNanos;

    /** While the worker is held back: when a grant of room to anybody was last seen. */
    private long grantSeenNanos;

    private long seenGrants;

    /**
     * How often room had been granted when a body was given up. While it is the same, the next body
     * has no better chance.
     */
    private long hopelessAtGrants = -1;

    /** Whether clients were seen to hold the room, rather than responses that still come. */
    private boolean waitsForClients;

    /** The rest of the time in which a worker may wait for clients. */
    private long leftForClientsNanos = MOST.toNanos();

    /**
     * @param grants how often room was granted to a body of this kind
     * @param isFullOfClients whether clients, who may be slow, hold the room
     */
    HeldBackTime(EventLoop loop, LongSupplier grants, BooleanSupplier isFullOfClients) {
        this.loop = loop;
        this.grants = grants;
        this.isFullOfClients = isFullOfClients;
        this.changedNanos = loop.nanoTime();
    }

    void begin() {
        long now = loop.nanoTime();
        long regained = (now - changedNanos) / FREE_PER_HOLD;
        leftForClientsNanos = Math.min(MOST.toNanos(), leftForClientsNanos + regained);
        changedNanos = now;
        waitsForClients = false;
        seenGrants = grants.getAsLong();
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

    /**
     * The body was given up. Until somebody is granted room, the next one is given up without a
     * wait.
     */
    void wasInVain() {
        hopelessAtGrants = seenGrants;
    }

    /** Whether the body has to go because requests wait for its worker. */
    boolean isOverForTheWorker() {
        waitsForClients = waitsForClients || isFullOfClients.getAsBoolean();
        long most = waitsForClients ? leftForClientsNanos : MOST.toNanos();
        return heldBackNanos() >= most || standstillNanos() >= STANDSTILL.toNanos();
    }

    /**
     * Whether a body of which a part has come has to go because others wait for its room. It has
     * less time than those that have no room, so that it goes before them.
     */
    boolean isOverForTheRoom() {
        return heldBackNanos() >= MOST.toNanos() || standstillNanos() >= SLOW.toNanos();
    }

    private long heldBackNanos() {
        return loop.nanoTime() - changedNanos;
    }

    private long standstillNanos() {
        long now = loop.nanoTime();
        long granted = grants.getAsLong();
        if (granted != seenGrants) {
            seenGrants = granted;
            grantSeenNanos = now;
        }
        return now - grantSeenNanos;
    }
}

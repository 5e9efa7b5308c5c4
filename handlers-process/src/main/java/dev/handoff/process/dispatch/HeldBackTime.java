package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.server.ResponseRoom;
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

    /** How often it is looked whether others wait, while a large body is incomplete. */
    static final Duration LOOK = Duration.ofMillis(50);

    /**
     * A body that keeps others waiting is also given up when it has waited for this long itself.
     * While clients hold the room, the waits for all bodies of one worker count together. The
     * worker regains that time at a part of the speed at which it was used.
     */
    static final Duration MOST = Duration.ofSeconds(1);

    /**
     * A body that comes by less than 64 KiB in this time loses its room to others that wait for it.
     * So it goes before they are given up. If its pool has less of the room than the pools of all
     * that wait, it has {@link #MOST} instead.
     */
    static final Duration SLOW = Duration.ofMillis(150);

    private final EventLoop loop;
    private final LongSupplier grants;
    private final BooleanSupplier isFullOfClients;
    private final Duration mostForClients;
    private final int freePerHold;

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
    private long leftForClientsNanos;

    private HeldBackTime(
            EventLoop loop,
            LongSupplier grants,
            BooleanSupplier isFullOfClients,
            Duration mostForClients,
            int freePerHold) {
        this.loop = loop;
        this.grants = grants;
        this.isFullOfClients = isFullOfClients;
        this.mostForClients = mostForClients;
        this.freePerHold = freePerHold;
        this.leftForClientsNanos = mostForClients.toNanos();
        this.changedNanos = loop.nanoTime();
    }

    /** For responses. While clients hold the room, they may hold their worker back for a tenth. */
    static HeldBackTime ofResponses(EventLoop loop, ResponseRoom room) {
        return new HeldBackTime(loop, room::grants, room::isFullOfClients, MOST, 10);
    }

    /**
     * For messages of WebSockets. The core soon ends clients that take nothing. So a worker may
     * wait longer, as for those of a whole broadcast; after that for a quarter of its time.
     */
    static HeldBackTime ofMessages(EventLoop loop, ResponseRoom room) {
        return new HeldBackTime(loop, room::messageGrants, () -> true, MOST.multipliedBy(2), 3);
    }

    void begin() {
        long now = loop.nanoTime();
        long regained = (now - changedNanos) / freePerHold;
        leftForClientsNanos = Math.min(mostForClients.toNanos(), leftForClientsNanos + regained);
        changedNanos = now;
        waitsForClients = false;
        seenGrants = grants.getAsLong();
        boolean isHopeless = seenGrants == hopelessAtGrants;
        grantSeenNanos = isHopeless ? now - STANDSTILL.toNanos() : now;
    }

    void end() {
        long now = loop.nanoTime();
        if (waitsForClients) {
            // Who has a little time left may pass it by one look, and makes up for that.
            leftForClientsNanos =
                    Math.max(-LOOK.toNanos(), leftForClientsNanos - (now - changedNanos));
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
        long most = MOST.toNanos();
        if (waitsForClients) {
            most = Math.min(most, leftForClientsNanos);
        }
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

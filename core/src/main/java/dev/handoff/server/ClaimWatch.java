package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Makes room again and again while claims of one kind wait in the {@link ResponseRoom}, and knows
 * for how long nothing has helped them. Belongs to the loop's thread.
 */
final class ClaimWatch {
    private final EventLoop loop;
    private final BooleanSupplier isWanted;
    private final LongSupplier grants;
    private final long lookNanos;
    private final Runnable relieve;
    private boolean looking;
    private long seenGrants;
    private long waitingSinceNanos;

    /**
     * @param isWanted whether claims wait
     * @param grants how often room was granted to claims of that kind
     * @param lookNanos how long it waits between two looks
     * @param relieve makes room, if there is somebody who may go
     */
    ClaimWatch(
            EventLoop loop,
            BooleanSupplier isWanted,
            LongSupplier grants,
            long lookNanos,
            Runnable relieve) {
        this.loop = loop;
        this.isWanted = isWanted;
        this.grants = grants;
        this.lookNanos = lookNanos;
        this.relieve = relieve;
    }

    /** Claims may have begun to wait; if they have, it looks after so long for the first time. */
    void begin(long firstLookNanos) {
        if (!looking && isWanted.getAsBoolean()) {
            seenGrants = grants.getAsLong();
            helped();
            lookAfter(firstLookNanos);
        }
    }

    /** Room was made. */
    void helped() {
        waitingSinceNanos = loop.nanoTime();
    }

    /** For how long claims have waited while none was granted and no room was made. */
    long standstillNanos() {
        return loop.nanoTime() - waitingSinceNanos;
    }

    private void lookAfter(long nanos) {
        looking = true;
        loop.scheduleAfter(nanos, this::look);
    }

    private void look() {
        looking = false;
        if (!isWanted.getAsBoolean()) {
            return;
        }
        long grantsNow = grants.getAsLong();
        if (grantsNow != seenGrants) {
            seenGrants = grantsNow;
            helped();
        }
        relieve.run();
        lookAfter(lookNanos);
    }
}

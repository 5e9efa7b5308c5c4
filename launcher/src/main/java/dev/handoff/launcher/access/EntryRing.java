package dev.handoff.launcher.access;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A bounded queue from one thread to one other, without locks. */
final class EntryRing {
    /** Enough for a fifth of a second of a very busy loop. */
    static final int ENTRIES = 1 << 14;

    private final AtomicReferenceArray<@Nullable AccessEntry> slots =
            new AtomicReferenceArray<>(ENTRIES);

    /** How many were put in; written by the producer. */
    private final AtomicLong put = new AtomicLong();

    /** How many were taken out; written by the consumer. */
    private final AtomicLong taken = new AtomicLong();

    /**
     * Returns whether there was room. Visible to the other thread before what the caller does next.
     */
    boolean offer(AccessEntry entry) {
        long index = put.getPlain();
        if (index - taken.getAcquire() == ENTRIES) {
            return false;
        }
        slots.setPlain(slot(index), entry);
        put.set(index + 1);
        return true;
    }

    @Nullable AccessEntry poll() {
        long index = taken.getPlain();
        if (index == put.getAcquire()) {
            return null;
        }
        AccessEntry entry = slots.getPlain(slot(index));
        slots.setPlain(slot(index), null);
        taken.setRelease(index + 1);
        return entry;
    }

    boolean isEmpty() {
        return taken.get() == put.get();
    }

    /** Whether it has just become half full. Called by the producer. */
    boolean isHalfFull() {
        return put.getPlain() - taken.getAcquire() == ENTRIES / 2;
    }

    private static int slot(long index) {
        return (int) index & (ENTRIES - 1);
    }
}

package dev.handoff.launcher.access;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A queue from one thread to one other, without locks. It is bounded in entries, and in the memory
 * that they hold: clients choose how long their texts are.
 */
final class EntryRing {
    /** Enough for a fifth of a second of a very busy loop. */
    static final int ENTRIES = 1 << 14;

    private final AtomicReferenceArray<@Nullable AccessEntry> slots =
            new AtomicReferenceArray<>(ENTRIES);

    private final long limitBytes;

    /** How many were put in; written by the producer. */
    private final AtomicLong put = new AtomicLong();

    /** How many were taken out; written by the consumer. */
    private final AtomicLong taken = new AtomicLong();

    /** The memory of all that were put in. Belongs to the producer, as the next. */
    private long putBytes;

    /** The memory of the one that was put in last. */
    private long lastBytes;

    /** The memory of all that were taken out; written by the consumer. */
    private final AtomicLong takenBytes = new AtomicLong();

    /**
     * @param limitBytes the most memory that its entries may hold
     */
    EntryRing(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * Returns whether there was room. Visible to the other thread before what the caller does next.
     */
    boolean offer(AccessEntry entry) {
        long index = put.getPlain();
        long bytes = entry.heldBytes();
        if (index - taken.getAcquire() == ENTRIES || waitingBytes() + bytes > limitBytes) {
            return false;
        }
        putBytes += bytes;
        lastBytes = bytes;
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
        if (entry != null) {
            takenBytes.setRelease(takenBytes.getPlain() + entry.heldBytes());
        }
        return entry;
    }

    /** How many can be taken out. */
    int waiting() {
        return (int) (put.getAcquire() - taken.getAcquire());
    }

    boolean isEmpty() {
        return taken.get() == put.get();
    }

    /** Whether the last entry has made it half full. Called by the producer. */
    boolean isHalfFull() {
        if (put.getPlain() - taken.getAcquire() == ENTRIES / 2) {
            return true;
        }
        long bytes = waitingBytes();
        long half = limitBytes / 2;
        return bytes >= half && bytes - lastBytes < half;
    }

    /** The memory of what was not taken out. Called by the producer. */
    private long waitingBytes() {
        return putBytes - takenBytes.getAcquire();
    }

    private static int slot(long index) {
        return (int) index & (ENTRIES - 1);
    }
}

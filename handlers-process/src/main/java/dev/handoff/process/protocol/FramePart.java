package dev.handoff.process.protocol;

import java.util.Arrays;

/**
 * One part of a frame (prefix, JSON or body), gathered from as many reads as it takes. A part that
 * lies whole in one read is borrowed from it; otherwise the bytes that have come are held, in an
 * array that grows with them and never past the part's size.
 */
final class FramePart {
    private static final int FIRST_CAPACITY = 64 * 1024;
    private static final byte[] NOTHING = new byte[0];

    private int sizeBytes;
    private byte[] held = NOTHING;
    private int heldBytes;
    private byte[] bytes = NOTHING;
    private int start;

    /** Forgets the bytes of the part before. */
    void begin(int sizeBytes) {
        this.sizeBytes = sizeBytes;
        held = NOTHING;
        heldBytes = 0;
        bytes = NOTHING;
    }

    /**
     * Takes what belongs to this part.
     *
     * @return the index after the last byte taken; less than {@code to}, or the part just complete
     */
    int take(byte[] source, int from, int to) {
        int missing = sizeBytes - heldBytes;
        int taken = Math.min(missing, to - from);
        if (taken == sizeBytes) {
            bytes = source;
            start = from;
            heldBytes = taken;
        } else {
            hold(source, from, taken);
        }
        return from + taken;
    }

    private void hold(byte[] source, int from, int count) {
        int needed = heldBytes + count;
        if (held.length < needed) {
            int wanted = Math.max(FIRST_CAPACITY, Math.max(2 * held.length, needed));
            held = Arrays.copyOf(held, Math.min(sizeBytes, wanted));
        }
        System.arraycopy(source, from, held, heldBytes, count);
        heldBytes = needed;
        bytes = held;
        start = 0;
    }

    boolean isComplete() {
        return heldBytes == sizeBytes;
    }

    boolean hasBegun() {
        return heldBytes > 0;
    }

    /** Where the complete part lies, from {@link #start()} on; not to be kept. */
    byte[] bytes() {
        return bytes;
    }

    int start() {
        return start;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    /** The complete part, for the caller to keep. */
    byte[] toBytes() {
        boolean isBorrowed = held.length == 0;
        return isBorrowed ? Arrays.copyOfRange(bytes, start, start + sizeBytes) : held;
    }

    int capacityBytes() {
        return held.length;
    }
}

package dev.handoff.server;

import java.util.Arrays;

/** Bytes that were read behind a request that has to wait. Empty, it holds no memory. */
final class UnreadBytes {
    private static final byte[] NOTHING = new byte[0];

    /** How many times larger than its content an array may be that is only read. */
    private static final int MOST_TIMES_LARGER = 4;

    private byte[] bytes = NOTHING;
    private int from;
    private int to;

    boolean isEmpty() {
        return from == to;
    }

    int sizeBytes() {
        return to - from;
    }

    /** The memory that they take. */
    int heldBytes() {
        return bytes.length;
    }

    byte[] array() {
        return bytes;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    void add(byte[] source, int sourceFrom, int sourceTo) {
        int added = sourceTo - sourceFrom;
        if (bytes.length - to < added) {
            byte[] roomier = new byte[Math.max(2 * sizeBytes(), sizeBytes() + added)];
            System.arraycopy(bytes, from, roomier, 0, sizeBytes());
            to = sizeBytes();
            from = 0;
            bytes = roomier;
        }
        System.arraycopy(source, sourceFrom, bytes, to, added);
        to += added;
    }

    /**
     * Everything before {@code index} of the array has been used, or they were cleared meanwhile. A
     * large array is not kept for the few bytes that are left.
     */
    void skipTo(int index) {
        if (bytes.length == 0) {
            return;
        }
        from = index;
        if (isEmpty()) {
            clear();
        } else if (sizeBytes() < bytes.length / MOST_TIMES_LARGER) {
            bytes = Arrays.copyOfRange(bytes, from, to);
            to = bytes.length;
            from = 0;
        }
    }

    void clear() {
        bytes = NOTHING;
        from = 0;
        to = 0;
    }
}

package dev.handoff.server;

/** Bytes that were read behind a request that has to wait. Empty, it holds no memory. */
final class UnreadBytes {
    private static final byte[] NOTHING = new byte[0];

    private byte[] bytes = NOTHING;
    private int from;
    private int to;

    boolean isEmpty() {
        return from == to;
    }

    int sizeBytes() {
        return to - from;
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

    /** Everything before {@code index} of the array has been used. */
    void skipTo(int index) {
        from = index;
        if (isEmpty()) {
            clear();
        }
    }

    void clear() {
        bytes = NOTHING;
        from = 0;
        to = 0;
    }
}

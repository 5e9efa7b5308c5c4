package dev.handoff.http;

import java.util.Arrays;

/**
 * Collects a body as its bytes arrive. Its array grows with the bytes that have arrived, so an
 * announced length alone costs nothing.
 */
final class BodyCollector {
    private static final byte[] NONE = {};

    private final int mostBytes;
    private final int firstBytes;
    private byte[] bytes = NONE;
    private int length;

    /**
     * @param mostBytes the most bytes that the caller will add
     * @param firstBytes the smallest first array
     */
    BodyCollector(int mostBytes, int firstBytes) {
        this.mostBytes = mostBytes;
        this.firstBytes = firstBytes;
    }

    /** How many more bytes may be added. */
    int roomBytes() {
        return mostBytes - length;
    }

    /** Copies bytes, at most {@link #roomBytes()}, behind those collected so far. */
    void take(byte[] source, int from, int to) {
        int added = to - from;
        if (added > roomBytes()) {
            throw new IllegalStateException("more bytes than the body may have");
        }
        if (added > bytes.length - length) {
            long wanted = Math.max(length + added, Math.max(firstBytes, 2L * bytes.length));
            bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, mostBytes));
        }
        System.arraycopy(source, from, bytes, length, added);
        length += added;
    }

    int bufferedBytes() {
        return bytes.length;
    }

    /** Gives the bytes away; the collector is empty afterwards. */
    Body finish() {
        Body body = Body.of(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
        bytes = NONE;
        length = 0;
        return body;
    }
}

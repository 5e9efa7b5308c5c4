package dev.handoff.http;

import java.util.Arrays;

/**
 * Puts a body together as it comes. Its array grows with what has really arrived, so that a large
 * announced length costs nothing by itself.
 */
final class BodyCollector {
    private static final byte[] NONE = {};

    private final int mostBytes;
    private final int firstBytes;
    private byte[] bytes = NONE;
    private int length;

    /**
     * @param mostBytes of which no more will be given
     * @param firstBytes the least room to start with
     */
    BodyCollector(int mostBytes, int firstBytes) {
        this.mostBytes = mostBytes;
        this.firstBytes = firstBytes;
    }

    /** How many more bytes may be given. */
    int roomBytes() {
        return mostBytes - length;
    }

    /** Copies bytes, at most {@link #roomBytes()}, behind those that it has. */
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

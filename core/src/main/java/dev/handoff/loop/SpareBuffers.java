package dev.handoff.loop;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Empty heap buffers of two sizes, kept for the next output of any channel of a loop, and the
 * native one that output leaves from. Belongs to the loop's thread.
 */
final class SpareBuffers {
    /** Enough for most responses; many of them, each warm in the processor's cache. */
    static final int SMALL_BYTES = 4 * 1024;

    /** Enough for 64 KiB of content and what stands before it. */
    static final int LARGE_BYTES = 64 * 1024 + SMALL_BYTES;

    /** So much is copied and offered at once, even to a socket that takes a tenth of it. */
    private static final int OFFERED_BYTES = 128 * 1024;

    private static final int MOST_SMALL = 512;
    private static final int MOST_LARGE = 32;

    private final ArrayDeque<ByteBuffer> small = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> large = new ArrayDeque<>();
    private final ByteBuffer offered = ByteBuffer.allocateDirect(OFFERED_BYTES);

    /** An empty buffer with room for {@code bytes}; {@link #giveBack} it after use. */
    ByteBuffer take(int bytes) {
        if (bytes <= SMALL_BYTES) {
            return spareOr(small, SMALL_BYTES);
        }
        if (bytes <= LARGE_BYTES) {
            return spareOr(large, LARGE_BYTES);
        }
        return ByteBuffer.allocate(bytes);
    }

    void giveBack(ByteBuffer buffer) {
        if (buffer.capacity() == SMALL_BYTES && small.size() < MOST_SMALL) {
            small.push(buffer);
        } else if (buffer.capacity() == LARGE_BYTES && large.size() < MOST_LARGE) {
            large.push(buffer);
        }
    }

    /** The buffer for what is offered to a channel, empty: it is another's after the write. */
    ByteBuffer offered() {
        return offered.clear();
    }

    private static ByteBuffer spareOr(ArrayDeque<ByteBuffer> spares, int bytes) {
        ByteBuffer spare = spares.poll();
        return spare == null ? ByteBuffer.allocate(bytes) : spare.clear();
    }
}

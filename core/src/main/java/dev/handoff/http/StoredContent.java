package dev.handoff.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The content of a request that is not in memory. It lives as long as somebody holds it; the server
 * does until the response has left. Any thread.
 */
public interface StoredContent {
    /** Whether all of it is where it can be read. */
    boolean isComplete();

    /** The memory of what is on its way there. */
    int unstoredBytes();

    /**
     * Reads as much as {@code target} has room for.
     *
     * @param position of the first byte
     * @throws IOException if it cannot be read, or nobody holds it any more
     */
    void read(long position, ByteBuffer target) throws IOException;

    /** Holds it once more; returns false, and does not, if nobody holds it any more. */
    boolean retain();

    /** Holds it once less. */
    void release();
}

package dev.handoff.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The content of a request that is not in memory. It lives as long as somebody holds it; the server
 * does until the response has left. Any thread.
 */
public interface StoredContent {
    /** Gets what was read on another thread. It is called once, on that thread. */
    interface Reader {
        /**
         * @param array is the reader's, to be given back to where it was taken from
         * @param length of the content, from the first byte
         */
        void read(byte[] array, int length);

        /** It cannot be read, or nobody holds it any more. */
        void failed(IOException why);
    }

    /** Whether all of it is where it can be read. */
    boolean isComplete();

    /** The memory of what is on its way there. */
    int unstoredBytes();

    /**
     * Reads as much as {@code target} has room for. It may wait for a disk.
     *
     * @param position of the first byte
     * @throws IOException if it cannot be read, or nobody holds it any more
     */
    void read(long position, ByteBuffer target) throws IOException;

    /**
     * Reads on another thread: for event loops, which must not wait for a disk. Meanwhile it holds
     * the content.
     *
     * @param bytes at most {@link SpareArrays#ARRAY_BYTES}
     * @param arrays where that thread takes one when it begins: reads that wait hold no memory
     */
    void readAside(long position, int bytes, SpareArrays arrays, Reader reader);

    /** Holds it once more; returns false, and does not, if nobody holds it any more. */
    boolean retain();

    /** Holds it once less. */
    void release();
}

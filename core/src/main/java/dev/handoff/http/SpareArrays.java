package dev.handoff.http;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Arrays of 64 KiB for content on its way, kept for what comes next. So a gigabyte that passes
 * through leaves little to be collected, and the heap does not grow for it. Any thread.
 */
public final class SpareArrays {
    /** The size of each. */
    public static final int ARRAY_BYTES = 64 * 1024;

    private static final int MOST = 16;

    private final BlockingQueue<byte[]> spare = new ArrayBlockingQueue<>(MOST);

    /** An array for content, whatever is in it. */
    public byte[] take() {
        byte[] kept = spare.poll();
        return kept == null ? new byte[ARRAY_BYTES] : kept;
    }

    /**
     * Keeps an array that nobody else has any more, if it has the size and there is room for it.
     */
    public void giveBack(byte[] array) {
        if (array.length == ARRAY_BYTES) {
            // There may be enough of them.
            var _ = spare.offer(array);
        }
    }
}

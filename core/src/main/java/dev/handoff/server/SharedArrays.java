package dev.handoff.server;

import dev.handoff.http.SpareArrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A few arrays for all who have content on its way. So a gigabyte that passes through leaves little
 * to be collected, and the heap does not grow for it. Any thread.
 */
public final class SharedArrays implements SpareArrays {
    private static final int MOST = 16;

    private final BlockingQueue<byte[]> spare = new ArrayBlockingQueue<>(MOST);

    @Override
    public byte[] take() {
        byte[] kept = spare.poll();
        return kept == null ? new byte[ARRAY_BYTES] : kept;
    }

    @Override
    public void giveBack(byte[] array) {
        if (array.length == ARRAY_BYTES) {
            // There may be enough of them.
            var _ = spare.offer(array);
        }
    }
}

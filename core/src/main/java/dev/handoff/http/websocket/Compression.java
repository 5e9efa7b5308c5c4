package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Compresses and decompresses messages (permessage-deflate, RFC 7692). All WebSockets of one thread
 * share it: neither side takes context from one message to the next, so no WebSocket keeps memory
 * between messages. Belongs to that thread.
 */
public final class Compression {
    /** The native memory of an inflater, with its window. */
    static final int INFLATER_BYTES = 48 * 1024;

    /** The window of every deflater that is not told otherwise (RFC 7692 section 7.1.2.1). */
    static final int LARGEST_WINDOW_BYTES = 1 << 15;

    /** A smaller message is not worth the work. */
    private static final int LEAST_BYTES = 64;

    /** Larger ones would keep the others of their thread waiting: a mebibyte takes some 10 ms. */
    private static final int MOST_BYTES = 1024 * 1024;

    /** The most inflaters that are kept for the next messages. */
    private static final int MOST_SPARE = 8;

    /**
     * Every compressed message would end with these bytes, so the sender leaves them out (RFC 7692
     * section 7.2.1).
     */
    private static final int TAIL_BYTES = 4;

    private final ArrayDeque<Inflater> spare = new ArrayDeque<>();
    private @Nullable Deflater deflater;
    private byte[] scratch = new byte[16 * 1024];

    /**
     * Whether it is closed. From then on, an inflater that is still out ends when it comes back.
     */
    private boolean closed;

    /**
     * Takes an inflater that has nothing of an earlier message. Give it back when the message is
     * over.
     */
    Inflater takeInflater() {
        Inflater taken = spare.poll();
        return taken == null ? new Inflater(true) : taken;
    }

    void giveBack(Inflater inflater) {
        if (!closed && spare.size() < MOST_SPARE) {
            inflater.reset();
            spare.push(inflater);
        } else {
            inflater.end();
        }
    }

    /** Room for decompressed bytes, until the next call of anything here. */
    byte[] scratch() {
        return scratch;
    }

    /**
     * Compresses a message. Returns null if it had better leave as it is.
     *
     * @param windowBytes the size of the client's window. No distance may be longer, so a message
     *     that is longer is not compressed, unless the window is the largest
     */
    public @Nullable Body compress(Body message, int windowBytes) {
        int size = message.sizeBytes();
        if (size < LEAST_BYTES
                || size > MOST_BYTES
                || (windowBytes < LARGEST_WINDOW_BYTES && size > windowBytes)) {
            return null;
        }
        Deflater used = deflater;
        if (used == null) {
            used = new Deflater(Deflater.BEST_SPEED, true);
            deflater = used;
        }
        try {
            used.setInput(message.asBuffer());
            byte[] out = new byte[Math.min(size, scratch.length)];
            int length = 0;
            while (true) {
                length += used.deflate(out, length, out.length - length, Deflater.SYNC_FLUSH);
                if (length < out.length) {
                    return Body.of(Arrays.copyOf(out, length - TAIL_BYTES));
                }
                if (length >= size) {
                    return null;
                }
                out = Arrays.copyOf(out, Math.min(size, 2 * out.length));
            }
        } finally {
            used.reset();
        }
    }

    /** Gives back all native memory. Nothing may be compressed afterwards. */
    public void close() {
        closed = true;
        spare.forEach(Inflater::end);
        spare.clear();
        Deflater used = deflater;
        if (used != null) {
            used.end();
            deflater = null;
        }
    }
}

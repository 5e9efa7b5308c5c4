package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

    /** The most bytes that stand in a stored block (RFC 1951 section 3.2.4). */
    private static final int MOST_STORED_BYTES = 0xffff;

    /** What stands before them: a block type, their number, and its complement. */
    private static final int STORED_HEAD_BYTES = 5;

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
     * Compresses a message, or the first fragment of one. Returns null if the message had better
     * leave as it is.
     *
     * @param windowBytes the size of the client's window. No distance may be longer, so what is
     *     longer is not compressed, unless the window is the largest
     * @param last whether no fragment follows
     */
    public @Nullable Body compress(Body message, int windowBytes, boolean last) {
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
            int tailBytes = last ? TAIL_BYTES : 0;
            used.setInput(message.asBuffer());
            byte[] out = new byte[Math.min(size, scratch.length)];
            int length = 0;
            while (true) {
                length += used.deflate(out, length, out.length - length, Deflater.SYNC_FLUSH);
                if (length < out.length) {
                    return Body.of(Arrays.copyOf(out, length - tailBytes));
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

    /**
     * Compresses another fragment of a message whose first one was compressed. It takes no context
     * from that. What had better leave as it is becomes stored blocks, since all of a message is
     * compressed, or nothing.
     */
    public Body compressMore(Body fragment, int windowBytes, boolean last) {
        Body compressed = compress(fragment, windowBytes, last);
        return compressed == null ? stored(fragment, last) : compressed;
    }

    private static Body stored(Body fragment, boolean last) {
        ByteBuffer from = fragment.asBuffer();
        int size = from.remaining();
        int blocks = (size + MOST_STORED_BYTES - 1) / MOST_STORED_BYTES;
        ByteBuffer out =
                ByteBuffer.allocate(size + blocks * STORED_HEAD_BYTES + (last ? 1 : 0))
                        .order(ByteOrder.LITTLE_ENDIAN);
        while (from.hasRemaining()) {
            int bytes = Math.min(MOST_STORED_BYTES, from.remaining());
            out.put((byte) 0).putShort((short) bytes).putShort((short) ~bytes);
            out.put(from.slice(from.position(), bytes));
            from.position(from.position() + bytes);
        }
        if (last) {
            // An empty block, whose other bytes are the tail that is left out.
            out.put((byte) 0);
        }
        return Body.of(out.array());
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

package dev.handoff.loop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The output that waits to be written to one channel, in order.
 *
 * <p>Small pieces are copied into one buffer; large ones are kept as they are. What is offered to
 * the channel is copied to native memory, as the JDK would do with each piece. So pieces of any
 * size leave in one write. An empty queue holds no memory. Belongs to the loop's thread.
 */
final class OutputQueue {
    /** Copying up to this many bytes is cheaper than a write of their own. */
    static final int COPY_BYTES = 16 * 1024;

    private final SpareBuffers spares;

    /**
     * Writable buffers with arrays are the loop's or this queue's own, read-only ones the owner's.
     */
    private final ArrayDeque<ByteBuffer> full = new ArrayDeque<>(2);

    /** The buffer being filled; between flushes its bytes are those from 0 to its position. */
    private @Nullable ByteBuffer tail;

    private long pendingBytes;

    OutputQueue(SpareBuffers spares) {
        this.spares = spares;
    }

    /**
     * A buffer with room for at least {@code bytes}, whose array may be written to. The caller
     * writes at its position, then calls {@link #reserved} with the count.
     */
    ByteBuffer reserve(int bytes) {
        if (tail == null) {
            tail = spares.take(bytes);
        } else if (tail.remaining() < bytes) {
            tail = makeRoom(tail, bytes);
        }
        return tail;
    }

    void reserved(int bytes) {
        pendingBytes += bytes;
    }

    void add(ByteBuffer bytes) {
        int size = bytes.remaining();
        if (size <= COPY_BYTES) {
            reserve(size).put(bytes);
        } else {
            if (tail != null && tail.position() > 0) {
                full.add(tail.flip());
                tail = null;
            }
            full.add(bytes.asReadOnlyBuffer());
        }
        pendingBytes += size;
    }

    long pendingBytes() {
        return pendingBytes;
    }

    /** The memory that the output keeps: a whole buffer, even if little of it is left. */
    long heldBytes() {
        long held = tail == null ? 0 : tail.capacity();
        for (ByteBuffer buffer : full) {
            held += buffer.capacity();
        }
        return held;
    }

    /** Writes as much as the channel takes. */
    void writeTo(WritableByteChannel channel) throws IOException {
        if (tail != null) {
            full.add(tail.flip());
            tail = null;
        }
        boolean takesMore = true;
        while (takesMore && !full.isEmpty()) {
            takesMore = offerTo(channel);
        }
        if (!full.isEmpty()) {
            releaseLargeBuffer();
        }
    }

    void clear() {
        full.forEach(this::giveBack);
        full.clear();
        tail = null;
        pendingBytes = 0;
    }

    /** Output that began in a small buffer goes on in a large one; a large one is full. */
    private ByteBuffer makeRoom(ByteBuffer begun, int bytes) {
        boolean small = begun.capacity() == SpareBuffers.SMALL_BYTES;
        int room = small ? begun.position() + bytes : bytes;
        ByteBuffer large = spares.take(Math.max(SpareBuffers.LARGE_BYTES, room));
        begun.flip();
        if (small) {
            large.put(begun);
            spares.giveBack(begun);
        } else {
            full.add(begun);
        }
        return large;
    }

    /** Writes the beginning, as one; returns whether the channel took all of that. */
    private boolean offerTo(WritableByteChannel channel) throws IOException {
        ByteBuffer offered = spares.offered();
        for (ByteBuffer next : full) {
            int bytes = Math.min(next.remaining(), offered.remaining());
            offered.put(offered.position(), next, next.position(), bytes);
            offered.position(offered.position() + bytes);
            if (!offered.hasRemaining()) {
                break;
            }
        }
        int bytes = offered.flip().remaining();
        int written = channel.write(offered);
        remove(written);
        return written == bytes;
    }

    private void remove(int written) {
        pendingBytes -= written;
        int left = written;
        ByteBuffer first = full.peek();
        while (first != null && first.remaining() <= left) {
            left -= first.remaining();
            full.poll();
            giveBack(first);
            first = full.peek();
        }
        if (first != null) {
            first.position(first.position() + left);
        }
    }

    /** The owner's bytes are not the loop's to write on. */
    private void giveBack(ByteBuffer buffer) {
        if (!buffer.isReadOnly()) {
            spares.giveBack(buffer);
        }
    }

    /** A peer that reads slowly must not keep a whole buffer for its last few bytes. */
    private void releaseLargeBuffer() {
        ByteBuffer last = full.peekLast();
        if (last != null
                && last.capacity() == SpareBuffers.LARGE_BYTES
                && !last.isReadOnly()
                && last.remaining() < SpareBuffers.LARGE_BYTES / 2) {
            full.pollLast();
            full.add(ByteBuffer.allocate(last.remaining()).put(last).flip());
            spares.giveBack(last);
        }
    }
}

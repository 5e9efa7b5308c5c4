package dev.handoff.http;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects a body as its bytes arrive. Its array grows with the bytes that have arrived, so an
 * announced length alone costs nothing. Content that is too large for memory goes to the store, if
 * there is one.
 */
final class BodyCollector implements ChunkedDecoder.Content {
    private static final byte[] NONE = {};

    private final int mostBytes;
    private final int firstBytes;
    private final @Nullable ContentStore store;

    /** Gets all at once; null where the handler wants the content whole. */
    private final ContentStore.@Nullable Arriving arriving;

    /** The bytes that have come and that the store was not given. */
    private byte[] bytes = NONE;

    private int length;

    /** Once there is more than memory may hold, and what it was given. */
    private ContentStore.@Nullable Storing storing;

    private int storedBytes;

    /**
     * @param mostBytes the most bytes that the caller will add
     * @param firstBytes the smallest first array
     * @param store null where all of it stays in memory
     */
    BodyCollector(int mostBytes, int firstBytes, @Nullable ContentStore store) {
        this.mostBytes = mostBytes;
        this.firstBytes = firstBytes;
        this.store = store;
        this.arriving = null;
    }

    /**
     * Collects nothing, and passes all on.
     *
     * @param mostBytes the most bytes that the caller will add
     */
    BodyCollector(int mostBytes, ContentStore.Arriving arriving) {
        this.mostBytes = mostBytes;
        this.firstBytes = 0;
        this.store = null;
        this.arriving = arriving;
    }

    @Override
    public int roomBytes() {
        return mostBytes - storedBytes - length;
    }

    /** Copies bytes, at most {@link #roomBytes()}, behind those collected so far. */
    @Override
    public void take(byte[] source, int from, int to) {
        int added = to - from;
        if (added > roomBytes()) {
            throw new IllegalStateException("more bytes than the body may have");
        }
        if (arriving != null) {
            arriving.add(Arrays.copyOfRange(source, from, to), added);
            storedBytes += added;
            return;
        }
        if (store != null && storing == null && length + added > store.memoryBytes()) {
            storing = store.begin();
            give(storing);
        }
        if (storing == null) {
            keep(source, from, to);
        } else {
            store(storing, source, from, to);
        }
    }

    private void keep(byte[] source, int from, int to) {
        int added = to - from;
        if (added > bytes.length - length) {
            long wanted = Math.max(length + added, Math.max(firstBytes, 2L * bytes.length));
            bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, mostBytes));
        }
        System.arraycopy(source, from, bytes, length, added);
        length += added;
    }

    private void store(ContentStore.Storing to, byte[] source, int from, int end) {
        int next = from;
        while (next < end) {
            if (bytes.length == 0) {
                bytes = to.room();
            }
            int part = Math.min(end - next, bytes.length - length);
            System.arraycopy(source, next, bytes, length, part);
            length += part;
            next += part;
            if (length == bytes.length) {
                give(to);
            }
        }
    }

    private void give(ContentStore.Storing to) {
        if (length > 0) {
            to.add(bytes, length);
            storedBytes += length;
        }
        bytes = NONE;
        length = 0;
    }

    int bufferedBytes() {
        return bytes.length + unstoredBytes();
    }

    /** The bytes that were passed on and are still in memory. */
    int unstoredBytes() {
        ContentStore.Sink sink = sink();
        return sink == null ? 0 : sink.unstoredBytes();
    }

    /** Whether that is so much that no more should come for now. */
    boolean isAhead() {
        ContentStore.Sink sink = sink();
        return sink != null && sink.isFull();
    }

    private ContentStore.@Nullable Sink sink() {
        return arriving == null ? storing : arriving;
    }

    /** Gives the bytes away, if they were not; the collector is empty afterwards. */
    Body finish() {
        Body body;
        if (arriving != null) {
            arriving.end();
            return Body.EMPTY;
        }
        if (storing == null) {
            body = Body.of(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
        } else {
            give(storing);
            body = Body.stored(storing.finish(), storedBytes);
        }
        storing = null;
        bytes = NONE;
        length = 0;
        return body;
    }

    /** Lets go of what has come of a body that will not be finished. */
    void discard() {
        ContentStore.Sink sink = sink();
        if (sink != null) {
            sink.discard();
            storing = null;
        }
    }
}

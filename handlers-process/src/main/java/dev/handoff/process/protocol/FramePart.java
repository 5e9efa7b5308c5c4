package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.SpareArrays;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One part of a frame (prefix, JSON or body), gathered from as many reads as it takes. A part that
 * lies whole in one read stays there. Any other is kept in pieces, which are made as bytes arrive.
 * So memory follows the bytes that arrived, and a large part is never copied to a larger array.
 */
final class FramePart {
    private static final int FIRST_PIECE_BYTES = 4 * 1024;

    /** The largest piece. Each piece is as large as all before it together, up to this. */
    private static final int LARGEST_PIECE_BYTES = 1024 * 1024;

    private static final byte[] NOTHING = new byte[0];

    /** For parts that are as large as such an array. */
    private final SpareArrays spare;

    private int sizeBytes;
    private int cameBytes;

    /** The bytes of memory held; 0 for a part that is dropped. */
    private int heldBytes;

    private boolean dropped;

    /** The read in which the whole part lies; empty if none does. */
    private byte[] borrowed = NOTHING;

    private int start;

    /** The full pieces, without the last one; null while there is at most one piece. */
    private @Nullable List<byte[]> full;

    private byte[] last = NOTHING;
    private int inLast;

    FramePart(SpareArrays spare) {
        this.spare = spare;
    }

    /** Begins a part of this size, and forgets the bytes of the one before. */
    void begin(int size) {
        sizeBytes = size;
        cameBytes = 0;
        dropped = false;
        borrowed = NOTHING;
        release();
    }

    /**
     * Takes what belongs to this part.
     *
     * @return the index after the last byte taken: less than {@code to} only if the part is
     *     complete
     */
    int add(byte[] source, int from, int to) {
        int taken = Math.min(sizeBytes - cameBytes, to - from);
        if (taken == sizeBytes) {
            borrowed = source;
            start = from;
        } else if (!dropped) {
            hold(source, from, taken);
        }
        cameBytes += taken;
        return from + taken;
    }

    private void hold(byte[] source, int from, int count) {
        int next = from;
        int left = count;
        while (left > 0) {
            if (inLast == last.length) {
                addPiece(left);
            }
            int fits = Math.min(left, last.length - inLast);
            System.arraycopy(source, next, last, inLast, fits);
            inLast += fits;
            next += fits;
            left -= fits;
        }
    }

    private void addPiece(int atLeast) {
        if (last.length > 0) {
            if (full == null) {
                full = new ArrayList<>();
            }
            full.add(last);
        }
        if (isSpareSized()) {
            last = spare.take();
        } else {
            int grown = Math.clamp(heldBytes, FIRST_PIECE_BYTES, LARGEST_PIECE_BYTES);
            last = new byte[Math.min(sizeBytes - heldBytes, Math.max(grown, atLeast))];
        }
        inLast = 0;
        heldBytes += last.length;
    }

    private void release() {
        full = null;
        last = NOTHING;
        inLast = 0;
        heldBytes = 0;
    }

    /** Releases the bytes that have arrived, and keeps none that arrive later. */
    void drop() {
        dropped = true;
        release();
    }

    boolean isDropped() {
        return dropped;
    }

    boolean isComplete() {
        return cameBytes == sizeBytes;
    }

    boolean hasBegun() {
        return cameBytes > 0;
    }

    /** The array with the complete part, from {@link #start()} on. The caller must not keep it. */
    byte[] bytes() {
        if (heldBytes == 0) {
            return borrowed;
        }
        start = 0;
        return full == null ? last : joined();
    }

    /** Where the part begins; call it after {@link #bytes}. */
    int start() {
        return start;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    int cameBytes() {
        return cameBytes;
    }

    /** The complete part, which the caller may keep; empty if it was dropped. */
    Body toBody() {
        if (dropped) {
            return Body.EMPTY;
        }
        if (heldBytes == 0 && !isSpareSized()) {
            return Body.of(Arrays.copyOfRange(borrowed, start, start + sizeBytes));
        }
        if (heldBytes == 0) {
            hold(borrowed, start, sizeBytes);
        }
        if (full == null) {
            return isSpareSized() ? Body.lent(last, spare) : Body.of(last);
        }
        full.add(last);
        return Body.ofPieces(full);
    }

    private boolean isSpareSized() {
        return sizeBytes == SpareArrays.ARRAY_BYTES;
    }

    int heldBytes() {
        return heldBytes;
    }

    /** Joins all pieces, since the parser needs one array. */
    private byte[] joined() {
        Body body = toBody();
        byte[] whole = body.toArray();
        release();
        last = whole;
        inLast = whole.length;
        heldBytes = whole.length;
        return whole;
    }
}

package dev.handoff.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The content of a message: an immutable sequence of bytes, compared by value.
 *
 * <p>It wraps the caller's arrays and does not copy them, so the caller must not change them.
 */
public final class Body {
    private static final byte[][] NO_MORE = {};

    public static final Body EMPTY = new Body(new byte[0], NO_MORE);

    private final byte[] first;

    /**
     * The pieces behind the first one. Only a large body that arrived little by little has some.
     */
    private final byte[][] more;

    private final int sizeBytes;

    private Body(byte[] first, byte[][] more) {
        int size = first.length;
        for (byte[] piece : more) {
            size = Math.addExact(size, piece.length);
        }
        this.first = first;
        this.more = more;
        this.sizeBytes = size;
    }

    /** Takes ownership of {@code bytes}: the caller must not change them afterwards. */
    public static Body of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new Body(bytes, NO_MORE);
    }

    /**
     * The pieces behind each other, none of them copied. Takes ownership of their bytes.
     *
     * @param pieces none of them empty
     */
    public static Body ofPieces(List<byte[]> pieces) {
        if (pieces.isEmpty()) {
            return EMPTY;
        }
        return new Body(pieces.getFirst(), pieces.subList(1, pieces.size()).toArray(new byte[0][]));
    }

    public static Body utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    public int sizeBytes() {
        return sizeBytes;
    }

    public boolean isEmpty() {
        return sizeBytes == 0;
    }

    /**
     * Returns read-only views of all bytes, from the first to the last. Each view keeps only its
     * own piece in memory, so a caller that drops one view after the other frees the pieces.
     */
    public void forEachPiece(Consumer<ByteBuffer> action) {
        action.accept(ByteBuffer.wrap(first).asReadOnlyBuffer());
        for (byte[] piece : more) {
            action.accept(ByteBuffer.wrap(piece).asReadOnlyBuffer());
        }
    }

    /** Returns a read-only view of all bytes; a copy if the body has several pieces. */
    public ByteBuffer asBuffer() {
        return ByteBuffer.wrap(whole()).asReadOnlyBuffer();
    }

    /** Copies all bytes to {@code target}, which must have room for them. */
    public void copyTo(ByteBuffer target) {
        target.put(first);
        for (byte[] piece : more) {
            target.put(piece);
        }
    }

    /** A copy that the caller may change. */
    public byte[] toArray() {
        byte[] bytes = new byte[sizeBytes];
        copyTo(ByteBuffer.wrap(bytes));
        return bytes;
    }

    public String toUtf8() {
        return new String(whole(), StandardCharsets.UTF_8);
    }

    private byte[] whole() {
        return more.length == 0 ? first : toArray();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Body body
                && sizeBytes == body.sizeBytes
                && Arrays.equals(whole(), body.whole());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(whole());
    }

    @Override
    public String toString() {
        return "Body[" + sizeBytes + " bytes]";
    }
}

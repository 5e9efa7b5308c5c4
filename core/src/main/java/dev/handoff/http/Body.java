package dev.handoff.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The content of a message: an immutable sequence of bytes, compared by value.
 *
 * <p>It wraps the caller's arrays and does not copy them, so the caller must not change them. The
 * content of a large request is {@linkplain #stored() stored} elsewhere. To read that blocks, and
 * throws an {@link UncheckedIOException} where it fails or the exchange is over.
 */
public final class Body {
    private static final byte[] NO_BYTES = {};
    private static final byte[][] NO_MORE = {};

    public static final Body EMPTY = new Body(NO_BYTES, NO_MORE);

    /** Stored content is read by so much. */
    private static final int READ_BYTES = 64 * 1024;

    private final byte[] first;

    /**
     * The pieces behind the first one. Only a large body that arrived little by little has some.
     */
    private final byte[][] more;

    /** Where the bytes are, if they are not in the arrays. */
    private final @Nullable StoredContent stored;

    /** Where the bytes come from, if they come while the request is handled. */
    private final @Nullable ArrivingContent arriving;

    /** Who lent the array; null if nobody did, or has it again. */
    private @Nullable SpareArrays lender;

    private final int sizeBytes;

    private Body(
            @Nullable StoredContent stored, @Nullable ArrivingContent arriving, int sizeBytes) {
        this.first = NO_BYTES;
        this.more = NO_MORE;
        this.stored = stored;
        this.arriving = arriving;
        this.sizeBytes = sizeBytes;
    }

    private Body(byte[] first, byte[][] more) {
        int size = first.length;
        for (byte[] piece : more) {
            size = Math.addExact(size, piece.length);
        }
        this.first = first;
        this.more = more;
        this.stored = null;
        this.arriving = null;
        this.sizeBytes = size;
    }

    /** Takes ownership of {@code bytes}: the caller must not change them afterwards. */
    public static Body of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new Body(bytes, NO_MORE);
    }

    /**
     * Content on its way, in an array that {@link #giveBack} gives back to where it was taken from.
     * Whoever keeps the body never calls that.
     */
    public static Body lent(byte[] bytes, SpareArrays lender) {
        Body body = new Body(bytes, NO_MORE);
        body.lender = lender;
        return body;
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

    /** Content that is stored elsewhere, and has so many bytes. */
    public static Body stored(StoredContent content, int sizeBytes) {
        return new Body(content, null, sizeBytes);
    }

    /**
     * Content that comes while its request is handled. It is read through {@link #arriving} alone:
     * everything else sees a body without bytes, but for {@link #sizeBytes}.
     */
    public static Body arriving(ArrivingContent content) {
        return new Body(null, content, 0);
    }

    public static Body utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** How many bytes it has; of content that {@linkplain #arriving arrives}, what has come. */
    public int sizeBytes() {
        return arriving == null ? sizeBytes : arriving.cameBytes();
    }

    /** The bytes of it in memory, besides those on their way to where it is stored. */
    public int heldBytes() {
        return stored == null ? sizeBytes : 0;
    }

    /** Whether {@link #giveBack} is of any use. */
    public boolean isLent() {
        return lender != null;
    }

    /**
     * Has the array used for other content, if it is {@linkplain #lent lent}. Nobody may look at
     * the body any more, or at a view of it.
     */
    public void giveBack() {
        SpareArrays to = lender;
        lender = null;
        if (to != null) {
            to.giveBack(first);
        }
    }

    /** Null for content that was whole before its request was handed over, as it usually is. */
    public @Nullable ArrivingContent arriving() {
        return arriving;
    }

    /** Where it is stored; null if it is in memory. */
    public @Nullable StoredContent stored() {
        return stored;
    }

    public boolean isEmpty() {
        return sizeBytes == 0;
    }

    /**
     * Returns read-only views of all bytes, from the first to the last. Each view keeps only its
     * own piece in memory, so a caller that drops one view after the other frees the pieces.
     */
    public void forEachPiece(Consumer<ByteBuffer> action) {
        if (stored != null) {
            for (int from = 0; from < sizeBytes; from += READ_BYTES) {
                action.accept(readUnchecked(stored, from, Math.min(READ_BYTES, sizeBytes - from)));
            }
            return;
        }
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
        if (stored != null) {
            forEachPiece(target::put);
            return;
        }
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
        return more.length == 0 && stored == null ? first : toArray();
    }

    private static ByteBuffer readUnchecked(StoredContent stored, int from, int bytes) {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        try {
            stored.read(from, target);
            return target.flip().asReadOnlyBuffer();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
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

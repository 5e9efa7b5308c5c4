package dev.handoff.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The content of a message: an immutable sequence of bytes, compared by value.
 *
 * <p>It wraps an array instead of copying it; whoever makes one gives the array away.
 */
public final class Body {
    public static final Body EMPTY = new Body(new byte[0]);

    private final byte[] bytes;

    private Body(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Takes ownership of {@code bytes}: the caller must not change them afterwards. */
    public static Body of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new Body(bytes);
    }

    public static Body utf8(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    public int sizeBytes() {
        return bytes.length;
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    /** A read-only view, from the first byte to the last. */
    public ByteBuffer asBuffer() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    /** Copies all bytes to {@code target}, which must have room for them. */
    public void copyTo(ByteBuffer target) {
        target.put(bytes);
    }

    /** A copy that the caller may change. */
    public byte[] toArray() {
        return bytes.clone();
    }

    public String toUtf8() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Body body && Arrays.equals(bytes, body.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Body[" + bytes.length + " bytes]";
    }
}

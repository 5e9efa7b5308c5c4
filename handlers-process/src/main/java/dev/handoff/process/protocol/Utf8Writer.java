package dev.handoff.process.protocol;

import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes characters into a growing array of UTF-8 bytes. It can be used again. Half a surrogate
 * pair becomes U+FFFD, so that the output is always UTF-8.
 */
final class Utf8Writer extends Writer {
    private static final int FIRST_CAPACITY = 4 * 1024;

    /** An array that one message made larger than this is released before the next message. */
    private static final int KEPT_CAPACITY = 64 * 1024;

    private static final int LONGEST_SEQUENCE = 3;
    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);
    private static final char NONE = 0;

    private final CharsetEncoder encoder =
            StandardCharsets.UTF_8
                    .newEncoder()
                    .replaceWith(REPLACEMENT)
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);

    private ByteBuffer text = ByteBuffer.allocate(FIRST_CAPACITY);

    /** The first half of a pair whose second half has not come yet. */
    private char pendingHigh = NONE;

    void reset() {
        if (text.capacity() > KEPT_CAPACITY) {
            text = ByteBuffer.allocate(FIRST_CAPACITY);
        }
        text.clear();
        pendingHigh = NONE;
    }

    int sizeBytes() {
        return text.position();
    }

    byte[] toBytes() {
        return Arrays.copyOf(text.array(), text.position());
    }

    void copyTo(byte[] target, int at) {
        System.arraycopy(text.array(), 0, target, at, text.position());
    }

    @Override
    public void write(char[] source, int offset, int count) {
        // A pending half counts as one more; a pair takes four bytes, less than two times three.
        reserve((count + 1) * LONGEST_SEQUENCE);
        CharBuffer rest = CharBuffer.wrap(source, offset, count);
        while (pendingHigh != NONE && rest.hasRemaining()) {
            encode(CharBuffer.wrap(new char[] {pendingHigh, rest.get()}));
        }
        if (rest.hasRemaining()) {
            encode(rest);
        }
    }

    /** Writes everything except a first half at the end, which waits for its second half. */
    private void encode(CharBuffer source) {
        encoder.reset().encode(source, text, false);
        pendingHigh = source.hasRemaining() ? source.get() : NONE;
    }

    private void reserve(int more) {
        if (text.remaining() < more) {
            int capacity = Math.max(2 * text.capacity(), text.position() + more);
            text = ByteBuffer.allocate(capacity).put(text.flip());
        }
    }

    @Override
    public void flush() {}

    /** Ends the text; after {@link #reset()} it can be used again. */
    @Override
    public void close() {
        if (pendingHigh != NONE) {
            pendingHigh = NONE;
            reserve(LONGEST_SEQUENCE);
            text.put(REPLACEMENT);
        }
    }
}

package dev.handoff.process.protocol;

import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Reads characters from a range of UTF-8 bytes. Unlike the JDK's reader it has no buffer of its
 * own, can be used again, and refuses malformed bytes instead of replacing them: overlong forms,
 * surrogates and code points past U+10FFFF (RFC 3629 section 3).
 */
final class Utf8Reader extends Reader {
    private static final char NONE = 0;

    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT);

    private ByteBuffer source = ByteBuffer.allocate(0);

    /** The second half of a pair that did not fit into the caller's array. */
    private char pendingLow = NONE;

    void reset(byte[] bytes, int from, int to) {
        source = ByteBuffer.wrap(bytes, from, to - from);
        pendingLow = NONE;
        decoder.reset();
    }

    @Override
    public int read(char[] target, int offset, int length) throws CharacterCodingException {
        CharBuffer free = CharBuffer.wrap(target, offset, length);
        if (pendingLow != NONE && free.hasRemaining()) {
            free.put(pendingLow);
            pendingLow = NONE;
        }
        decode(free);
        if (free.remaining() == 1 && source.hasRemaining()) {
            splitPair(free);
        }
        int filled = free.position() - offset;
        return filled == 0 && length > 0 ? -1 : filled;
    }

    /**
     * Splits a pair of which only the first half has room, since a reader may not return nothing.
     */
    private void splitPair(CharBuffer free) throws CharacterCodingException {
        CharBuffer pair = CharBuffer.allocate(2);
        decode(pair);
        free.put(pair.get(0));
        pendingLow = pair.get(1);
    }

    private void decode(CharBuffer target) throws CharacterCodingException {
        CoderResult result = decoder.decode(source, target, true);
        if (result.isError()) {
            result.throwException();
        }
    }

    /** Does nothing: there is nothing to release. */
    @Override
    public void close() {}
}

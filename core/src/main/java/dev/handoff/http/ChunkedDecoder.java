package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * Removes the chunked coding (RFC 9112 section 7.1) from one body. The bytes may come in any
 * portions.
 *
 * <pre>
 * chunk = 1*HEXDIG [ chunk-ext ] CRLF chunk-data CRLF, the last of size 0 and without data
 *
 *     ┌────────────────────────────────────────────────LF─────────────────┐
 *     v                                                                   │
 *   SIZE ─;/SP&gt; EXTENSION ──CR──&gt; SIZE_LF ──LF──&gt; DATA ──&gt; DATA_CR ──&gt; DATA_LF
 *     └──CR─────────────────────────^ └──0──&gt; TRAILERS ──&gt; DONE     (REFUSED from anywhere)
 * </pre>
 */
final class ChunkedDecoder {
    private enum State {
        SIZE,
        EXTENSION,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILERS,
        DONE,
        REFUSED
    }

    /** The digits of 64 bits. Leading zeros count, or a client could send them for ever. */
    static final int MAX_SIZE_DIGITS = 16;

    /** Takes the content, freed of its framing. */
    interface Content {
        /** How many more bytes it takes. */
        int roomBytes();

        /** Takes the next bytes, which it must not keep. */
        void take(byte[] bytes, int from, int to);
    }

    /** Chunks are small if, with their framing, they have fewer bytes on the average. */
    private static final int SMALL_CHUNK_BYTES = 32;

    private final ParserLimits limits;
    private final Content content;
    private final ChunkExtension extension = new ChunkExtension();
    private final FieldParser trailers;

    private State state = State.SIZE;

    /** Unsigned while its digits are read; at most the limit from there on. */
    private long size;

    private int sizeDigits;
    private int trailerTaken;
    private int chunksInPortion;
    private boolean smallChunks;
    private @Nullable Refusal refusal;

    /**
     * @param limits of the trailer section
     */
    ChunkedDecoder(ParserLimits limits, Content content) {
        this.limits = limits;
        this.content = content;
        this.trailers = FieldParser.ofTrailers(limits.fields(), new Fragment());
    }

    /** Reads on; returns the index behind the last byte taken. */
    int parse(byte[] bytes, int from, int to) {
        chunksInPortion = 0;
        int end = parseOn(bytes, from, to);
        smallChunks = chunksInPortion > (to - from) / SMALL_CHUNK_BYTES;
        return end;
    }

    private int parseOn(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            switch (state) {
                case SIZE -> at = size(bytes[at], at);
                case EXTENSION -> at = extension(bytes[at], at);
                case SIZE_LF -> at = sizeLineFeed(bytes[at], at);
                case DATA -> at = data(bytes, at, to);
                case DATA_CR -> at = dataEnd(bytes[at], at, '\r', State.DATA_LF);
                case DATA_LF -> at = dataEnd(bytes[at], at, '\n', State.SIZE);
                case TRAILERS -> at = trailers(bytes, at, to);
                case DONE, REFUSED -> {
                    return at;
                }
            }
        }
        return at;
    }

    /** Whether the latest bytes were more work than content is, since their chunks are small. */
    boolean hasSmallChunks() {
        return smallChunks;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    @Nullable Refusal refusal() {
        return refusal;
    }

    private int size(byte b, int at) {
        int digit = CharTables.hexDigit(b);
        if (digit >= 0) {
            if (++sizeDigits > MAX_SIZE_DIGITS) {
                return refuse(Refusal.BAD_CHUNK_SIZE, at);
            }
            size = (size << 4) | digit;
            return at + 1;
        }
        if (sizeDigits == 0 || (b != ';' && b != '\r' && !CharTables.isSpace(b))) {
            boolean bareLf = sizeDigits > 0 && b == '\n';
            return refuse(bareLf ? Refusal.BARE_LF : Refusal.BAD_CHUNK_SIZE, at);
        }
        if (Long.compareUnsigned(size, content.roomBytes()) > 0) {
            return refuse(Refusal.BODY_TOO_LARGE, at);
        }
        if (b == '\r') {
            state = State.SIZE_LF;
            return at + 1;
        }
        state = State.EXTENSION;
        return takenOr(extension.begin(b), at);
    }

    private int extension(byte b, int at) {
        if (b == '\r' && extension.mayEnd()) {
            state = State.SIZE_LF;
            return at + 1;
        }
        if (b == '\n' && extension.mayEnd()) {
            return refuse(Refusal.BARE_LF, at);
        }
        return takenOr(extension.take(b), at);
    }

    private int sizeLineFeed(byte b, int at) {
        if (b != '\n') {
            return refuse(Refusal.BARE_CR, at);
        }
        state = size == 0 ? State.TRAILERS : State.DATA;
        sizeDigits = 0;
        chunksInPortion++;
        return at + 1;
    }

    private int data(byte[] bytes, int from, int to) {
        int end = to - from > size ? from + (int) size : to;
        content.take(bytes, from, end);
        size -= end - from;
        if (size == 0) {
            state = State.DATA_CR;
        }
        return end;
    }

    private int dataEnd(byte b, int at, char expected, State next) {
        if (b != expected) {
            return refuse(Refusal.BAD_CHUNK_END, at);
        }
        state = next;
        return at + 1;
    }

    /**
     * RFC 9112 section 7.1.2 lets a server drop trailers, which keeps late Host or Content-Length
     * fields from a handler that would believe them.
     */
    private int trailers(byte[] bytes, int from, int to) {
        int room = limits.headBytes() - trailerTaken;
        int limit = to - from > room ? from + room : to;
        int end = trailers.parse(bytes, from, limit);
        trailerTaken += end - from;
        Refusal why = trailers.refusal();
        if (why != null) {
            return refuse(why, end - 1);
        }
        if (trailers.isDone()) {
            state = State.DONE;
            return end;
        }
        return end < to ? refuse(Refusal.TRAILERS_TOO_LARGE, end) : end;
    }

    private int takenOr(@Nullable Refusal why, int at) {
        return why == null ? at + 1 : refuse(why, at);
    }

    private int refuse(Refusal why, int at) {
        refusal = why;
        state = State.REFUSED;
        return at + 1;
    }
}

package dev.handoff.http;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the responses of a server on one connection, one after the other (RFC 9112), as strictly as
 * the {@link RequestParser} reads requests: what two readers could understand in two ways is
 * refused. The bytes may come in any portions, which never change the verdict. It keeps no content.
 *
 * <pre>
 *   STATUS_LINE ──&gt; FIELDS ──&gt; CONTENT ──&gt; STATUS_LINE      (REFUSED from anywhere)
 *        ^____________| 1xx
 * </pre>
 *
 * <p>Each response needs a {@link #expect}. Not thread-safe.
 */
public final class ResponseParser {
    /** Takes the content of a response, which comes behind its head. */
    public interface ContentTaker {
        /** Takes the next bytes, which it must not keep. */
        void take(byte[] bytes, int from, int to);
    }

    /** Of the length of content: only its end will show it. */
    private static final long UNKNOWN_LENGTH = -1;

    /** Interim responses before a final one. A server could send them for ever. */
    static final int MOST_INTERIM = 16;

    /** Of each head, and apart from that of the trailer section: content has no limit here. */
    static final ParserLimits LIMITS = new ParserLimits(1, 64 * 1024, 500, Integer.MAX_VALUE - 64);

    /** Every number of so many digits fits 64 bits. */
    private static final int MOST_LENGTH_DIGITS = 18;

    private static final String VERSION = "HTTP/1.";
    private static final int STATUS_DIGITS = 3;

    private enum State {
        STATUS_LINE,
        STATUS_LINE_LF,
        FIELDS,
        CONTENT,
        /** The end of the content is known, and was not told yet. */
        END,
        /** What comes is not HTTP any more, or not expected. */
        OVER,
        REFUSED
    }

    /** How the end of the content is found. */
    private enum Framing {
        LENGTH,
        CHUNKED,
        /** The end of the connection. */
        CLOSE
    }

    private final ContentTaker taker;
    private final ParserLimits limits;
    private final Fragment fragment = new Fragment();
    private final Headers.Builder headers = new Headers.Builder();
    private final FieldParser fields;

    private State state = State.OVER;

    /** Whether the request was HEAD, so that its response has no content. */
    private boolean toHead;

    private boolean upgrades;
    private int interim;
    private int headBytes;

    private HttpVersion version = HttpVersion.HTTP_1_1;
    private int status;
    private @Nullable String reason;

    private Framing framing = Framing.LENGTH;

    /** How much of it is to come, where its length is known. */
    private long leftBytes;

    private @Nullable ChunkedDecoder chunks;
    private boolean persistent;
    private ResponsePart.@Nullable Refused refused;
    private int consumedTo;

    /**
     * @param taker gets the content while {@link #parse} is called
     */
    public ResponseParser(ContentTaker taker) {
        this(taker, LIMITS);
    }

    ResponseParser(ContentTaker taker, ParserLimits limits) {
        this.taker = taker;
        this.limits = limits;
        this.fields = FieldParser.ofHeaders(limits.fields(), fragment, headers);
    }

    /**
     * A request was sent: its response is read next.
     *
     * @param head whether it was HEAD
     * @param offersUpgrade whether it may be answered by 101 (Switching Protocols)
     */
    public void expect(boolean head, boolean offersUpgrade) {
        if (state != State.OVER) {
            throw new IllegalStateException("another response is being read");
        }
        toHead = head;
        upgrades = offersUpgrade;
        interim = 0;
        beginHead();
    }

    /** Whether a response is expected, and not whole. */
    public boolean isReading() {
        return state != State.OVER && state != State.REFUSED;
    }

    /** Whether the latest bytes were more work than content is, since their chunks are small. */
    public boolean hasSmallChunks() {
        return chunks != null && chunks.hasSmallChunks();
    }

    /** How much of a head that is not whole has come. */
    public int headBytes() {
        return switch (state) {
            case STATUS_LINE, STATUS_LINE_LF, FIELDS -> headBytes;
            case CONTENT, END, OVER, REFUSED -> 0;
        };
    }

    /** Whether a byte of the response has come, also where it was refused since. */
    public boolean hasBegun() {
        return headBytes > 0 || interim > 0;
    }

    /**
     * Reads on from where the last call stopped, up to the end of a head or of a response. Call it
     * again with the rest until it says {@link ResponsePart.Incomplete}, also with no rest.
     *
     * @param from index of the first new byte
     * @param to index behind the last one
     */
    public ResponsePart parse(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, bytes.length);
        consumedTo = from;
        while (true) {
            switch (state) {
                case STATUS_LINE, STATUS_LINE_LF, FIELDS -> {
                    if (consumedTo == to) {
                        return ResponsePart.Incomplete.INCOMPLETE;
                    }
                    ResponsePart head = head(bytes, to);
                    if (head != null) {
                        return head;
                    }
                }
                case CONTENT -> {
                    if (consumedTo == to) {
                        return ResponsePart.Incomplete.INCOMPLETE;
                    }
                    content(bytes, to);
                }
                case END -> {
                    return end(persistent);
                }
                case OVER -> {
                    return consumedTo == to
                            ? ResponsePart.Incomplete.INCOMPLETE
                            : refuse("it sent what nobody asked for");
                }
                case REFUSED -> {
                    return Objects.requireNonNull(refused);
                }
            }
        }
    }

    /** Index behind the last byte that the last call of {@link #parse} took. */
    public int consumedTo() {
        return consumedTo;
    }

    /** The server sends no more: the end of the response, or what is missing. */
    public ResponsePart inputEnded() {
        if (state == State.END || (state == State.CONTENT && framing == Framing.CLOSE)) {
            return end(false);
        }
        if (state == State.REFUSED) {
            return Objects.requireNonNull(refused);
        }
        return refuse("it closed the connection before the response was complete");
    }

    private void beginHead() {
        state = State.STATUS_LINE;
        headBytes = 0;
        fields.reset();
        headers.clear();
    }

    /** Returns null if there is more to read. */
    private @Nullable ResponsePart head(byte[] bytes, int to) {
        int room = limits.headBytes() - headBytes;
        int limit = to - consumedTo > room ? consumedTo + room : to;
        int begin = consumedTo;
        ResponsePart wrong = headUpTo(bytes, limit);
        headBytes += consumedTo - begin;
        if (wrong != null) {
            return wrong;
        }
        if (fields.isDone()) {
            return judge();
        }
        return headBytes < limits.headBytes()
                ? null
                : refuse(
                        "the head of its response is larger than " + limits.headBytes() + " bytes");
    }

    /** Returns what is wrong, or null. */
    private @Nullable ResponsePart headUpTo(byte[] bytes, int to) {
        if (state == State.STATUS_LINE) {
            statusLine(bytes, to);
        }
        if (state == State.STATUS_LINE_LF && consumedTo < to) {
            if (bytes[consumedTo++] != '\n') {
                return refuse("a carriage return stands without a line feed in its status line");
            }
            state = State.FIELDS;
        }
        if (state == State.REFUSED) {
            return refused;
        }
        if (state != State.FIELDS) {
            return null;
        }
        consumedTo = fields.parse(bytes, consumedTo, to);
        Refusal why = fields.refusal();
        return why == null ? null : refuse("its header fields are malformed (" + why.code() + ")");
    }

    private void statusLine(byte[] bytes, int to) {
        int end = CharTables.skip(CharTables.FIELD_VALUE, bytes, consumedTo, to);
        if (end == to) {
            fragment.append(bytes, consumedTo, to);
            consumedTo = to;
            // Whoever does not speak HTTP at all is told soon.
            checkVersion(fragment.bytes(), 0, fragment.length());
            return;
        }
        String line = fragment.complete(bytes, consumedTo, end, this::checkedLine);
        consumedTo = end + 1;
        if (state == State.REFUSED) {
            return;
        }
        if (bytes[end] != '\r') {
            refuse("its status line ends with a line feed alone, or has a control character");
            return;
        }
        state = State.STATUS_LINE_LF;
        readStatusLine(line);
    }

    /** What was refused in the middle of a line is refused at its end, in the same words. */
    private String checkedLine(byte[] bytes, int from, int to) {
        checkVersion(bytes, from, to);
        return CharTables.text(bytes, from, to);
    }

    private void checkVersion(byte[] bytes, int from, int to) {
        int known = Math.min(VERSION.length(), to - from);
        for (int i = 0; i < known; i++) {
            if (bytes[from + i] != VERSION.charAt(i)) {
                refuse("it does not speak HTTP/1.0 or 1.1");
                return;
            }
        }
    }

    /**
     * RFC 9112 section 4. The space behind the status is missing in what some servers send, and
     * says nothing.
     */
    private void readStatusLine(String line) {
        int digits = VERSION.length() + 2;
        int end = digits + STATUS_DIGITS;
        boolean isVersion =
                line.startsWith(VERSION)
                        && line.length() >= digits
                        && CharTables.isDigit(line.charAt(VERSION.length()))
                        && line.charAt(digits - 1) == ' ';
        if (!isVersion) {
            refuse("it does not speak HTTP/1.0 or 1.1");
            return;
        }
        boolean isStatus =
                line.length() >= end
                        && CharTables.isDigits(line.substring(digits, end))
                        && line.charAt(digits) != '0'
                        && (line.length() == end || line.charAt(end) == ' ');
        if (!isStatus) {
            refuse("its status is not a number of three digits");
            return;
        }
        version =
                line.charAt(VERSION.length()) == '0' ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1;
        status = Integer.parseInt(line.substring(digits, end));
        String phrase = line.length() <= end + 1 ? "" : line.substring(end + 1);
        reason = phrase.isEmpty() ? null : phrase;
    }

    /** The head is whole. Returns null for an interim response, which says nothing here. */
    private @Nullable ResponsePart judge() {
        Headers section = headers.build();
        HeadFields read = new HeadFields(section);
        if (status == 101 && upgrades) {
            state = State.OVER;
            return new ResponsePart.Head(new Response(status, reason, section, Body.EMPTY), 0);
        }
        if (status == 101) {
            return refuse("it switches protocols, which nobody asked for");
        }
        if (status < 200) {
            interim++;
            beginHead();
            return interim > MOST_INTERIM
                    ? refuse("it sent more than " + MOST_INTERIM + " interim responses")
                    : null;
        }
        String wrong = frame(read);
        if (wrong != null) {
            return refuse(wrong);
        }
        persistent = framing != Framing.CLOSE && read.isPersistent(version);
        boolean isOver = framing == Framing.LENGTH && leftBytes == 0;
        long contentBytes = framing == Framing.LENGTH ? leftBytes : UNKNOWN_LENGTH;
        state = isOver ? State.END : State.CONTENT;
        if (framing == Framing.CHUNKED) {
            chunks = new ChunkedDecoder(limits, new Unchunked());
        }
        return new ResponsePart.Head(
                new Response(status, reason, section, Body.EMPTY), contentBytes);
    }

    /**
     * The decision list of RFC 9112 section 6.3 for responses, read strictly. Returns what is wrong
     * in words, or null.
     */
    private @Nullable String frame(HeadFields read) {
        String codings = read.transferEncoding();
        if (codings != null && version == HttpVersion.HTTP_1_0) {
            return "Transfer-Encoding is not part of HTTP/1.0";
        }
        if (codings != null && read.contentLengths() > 0) {
            return "Content-Length came together with Transfer-Encoding";
        }
        if (codings != null && !codings.equalsIgnoreCase("chunked")) {
            return "its transfer coding is not chunked alone";
        }
        if (read.contentLengths() > 1) {
            return "there is more than one Content-Length";
        }
        long length = UNKNOWN_LENGTH;
        if (read.contentLengths() == 1) {
            String value = read.contentLength();
            if (!CharTables.isDigits(value) || value.length() > MOST_LENGTH_DIGITS) {
                return "its Content-Length is not a number, or is too large";
            }
            length = Long.parseLong(value);
        }
        if (toHead || status == 204 || status == 304) {
            framing = Framing.LENGTH;
            leftBytes = 0;
        } else if (codings != null) {
            framing = Framing.CHUNKED;
        } else if (length != UNKNOWN_LENGTH) {
            framing = Framing.LENGTH;
            leftBytes = length;
        } else {
            framing = Framing.CLOSE;
        }
        return null;
    }

    private void content(byte[] bytes, int to) {
        int from = consumedTo;
        switch (framing) {
            case CLOSE -> {
                consumedTo = to;
                taker.take(bytes, from, to);
            }
            case LENGTH -> {
                int end = to - from > leftBytes ? from + (int) leftBytes : to;
                leftBytes -= end - from;
                consumedTo = end;
                state = leftBytes == 0 ? State.END : State.CONTENT;
                taker.take(bytes, from, end);
            }
            case CHUNKED -> {
                ChunkedDecoder decoder = Objects.requireNonNull(chunks);
                consumedTo = decoder.parse(bytes, from, to);
                Refusal why = decoder.refusal();
                if (why != null) {
                    refuse("its chunks are malformed (" + why.code() + ")");
                } else if (decoder.isDone()) {
                    state = State.END;
                }
            }
        }
    }

    private ResponsePart end(boolean again) {
        state = State.OVER;
        chunks = null;
        return new ResponsePart.End(again);
    }

    private ResponsePart.Refused refuse(String why) {
        state = State.REFUSED;
        ResponsePart.Refused verdict = new ResponsePart.Refused(why);
        refused = verdict;
        return verdict;
    }

    /** Content of chunks has no limit but that of one chunk. */
    private final class Unchunked implements ChunkedDecoder.Content {
        @Override
        public int roomBytes() {
            return Integer.MAX_VALUE;
        }

        @Override
        public void take(byte[] bytes, int from, int to) {
            taker.take(bytes, from, to);
        }
    }
}

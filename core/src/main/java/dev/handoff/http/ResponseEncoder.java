package dev.handoff.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes the heads of responses (RFC 9112 sections 4 and 6). The handler decides status, reason and
 * fields. The server decides framing, connection handling and, unless the handler gave one, the
 * date. It allocates nothing.
 *
 * <p>Responses must have no {@link ResponseFault}; the encoder checks nothing.
 */
public final class ResponseEncoder {
    private static final byte[] VERSION = ascii("HTTP/1.1 ");
    private static final byte[] COLON = ascii(": ");
    private static final byte[] CRLF = ascii("\r\n");
    private static final byte[] DATE = ascii("Date: ");
    private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
    private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    private static final byte[] UPGRADE = ascii("Connection: upgrade\r\n");

    private static final ByteBuffer CONTINUE =
            ByteBuffer.wrap(ascii("HTTP/1.1 100 Continue\r\n\r\n")).asReadOnlyBuffer();

    /** An upper bound for status line, date, length, connection and the empty line. */
    private static final int SERVER_PART_BOUND_BYTES = 256;

    /** An upper bound for what {@link #beginChunk} writes. */
    public static final int CHUNK_HEAD_BYTES = 8 + CRLF.length;

    private static final int HEX_DIGIT_BITS = 4;

    private static final int FIELD_EXTRA_BYTES = COLON.length + CRLF.length;

    /** Every number of so many digits fits 64 bits. */
    private static final int MOST_LENGTH_DIGITS = 18;

    /** Decides whether the server or the handler owns a response field. */
    private enum FieldOwner {
        HANDLER,
        /** The server writes it; the handler's is dropped. */
        SERVER,
        /** The handler's if it gives one, otherwise the server's. */
        EITHER
    }

    private ResponseEncoder() {}

    /** An upper bound of what {@link #encodeHead} writes. */
    public static int headBoundBytes(Response response) {
        int bound = SERVER_PART_BOUND_BYTES;
        if (response.reason() != null) {
            bound += response.reason().length();
        }
        Headers headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            bound += headers.name(i).length() + headers.value(i).length() + FIELD_EXTRA_BYTES;
        }
        return bound;
    }

    /**
     * Writes status line, fields and the empty line.
     *
     * @param head whether the request was HEAD
     * @param close whether the server will close the connection after this response
     * @param echoKeepAlive whether it will not, and the client speaks HTTP/1.0 and asked for that
     * @param date the present time as {@link HttpDate} formats it
     * @param out with at least {@link #headBoundBytes} left
     */
    public static void encodeHead(
            Response response,
            boolean head,
            boolean close,
            boolean echoKeepAlive,
            byte[] date,
            ByteBuffer out) {
        putStatusAndFields(response, date, out);
        putContentLength(response, head, out);
        endHead(close, echoKeepAlive, out);
    }

    /**
     * Writes the same for a response whose content comes in pieces.
     *
     * @param framing of the content
     */
    public static void encodeHead(
            Response response,
            ContentFraming framing,
            boolean close,
            boolean echoKeepAlive,
            byte[] date,
            ByteBuffer out) {
        putStatusAndFields(response, date, out);
        switch (framing) {
            case LENGTH -> {
                out.put(CONTENT_LENGTH);
                putText(Objects.requireNonNull(givenLength(response.headers())), out);
                out.put(CRLF);
            }
            case CHUNKED -> out.put(CHUNKED);
            case CLOSE -> {}
        }
        endHead(close, echoKeepAlive, out);
    }

    /** Writes the same for a 101 (Switching Protocols), behind which there is no HTTP. */
    public static void encodeSwitch(Response response, byte[] date, ByteBuffer out) {
        putStatusAndFields(response, date, out);
        out.put(CRLF);
    }

    /** How a response in pieces has to be framed for a client that speaks {@code version}. */
    public static ContentFraming framingOf(Response head, HttpVersion version) {
        if (givenLength(head.headers()) != null) {
            return ContentFraming.LENGTH;
        }
        return version == HttpVersion.HTTP_1_0 ? ContentFraming.CLOSE : ContentFraming.CHUNKED;
    }

    /** The length that the handler gave; the largest number where it gave none that is valid. */
    public static long mostContentBytes(Response head) {
        String given = givenLength(head.headers());
        return given == null ? Long.MAX_VALUE : Long.parseLong(given);
    }

    /** Writes what comes before the bytes of a chunk (RFC 9112 section 7.1). */
    public static void beginChunk(int bytes, ByteBuffer out) {
        int digits = 1;
        for (int rest = bytes >>> HEX_DIGIT_BITS; rest > 0; rest >>>= HEX_DIGIT_BITS) {
            digits++;
        }
        for (int shift = (digits - 1) * HEX_DIGIT_BITS; shift >= 0; shift -= HEX_DIGIT_BITS) {
            out.put((byte) Character.forDigit(bytes >>> shift & 0xf, 16));
        }
        out.put(CRLF);
    }

    /** The end of line behind the bytes of a chunk: a read-only view, another for each caller. */
    public static ByteBuffer endOfChunk() {
        return ByteBuffer.wrap(CRLF).asReadOnlyBuffer();
    }

    /** The chunk that ends the content: a read-only view, another for each caller. */
    public static ByteBuffer lastChunk() {
        return ByteBuffer.wrap(LAST_CHUNK).asReadOnlyBuffer();
    }

    private static void putStatusAndFields(Response response, byte[] date, ByteBuffer out) {
        putStatusLine(response, out);
        boolean dated = putHandlerFields(response, out);
        if (!dated) {
            out.put(DATE).put(date).put(CRLF);
        }
    }

    private static void endHead(boolean close, boolean echoKeepAlive, ByteBuffer out) {
        if (close) {
            out.put(CLOSE);
        } else if (echoKeepAlive) {
            out.put(KEEP_ALIVE);
        }
        out.put(CRLF);
    }

    /** Whether the body of a response is sent (RFC 9112 section 6.3). */
    public static boolean hasContent(boolean head, int status) {
        return !head && status != 204 && status != 205 && status != 304;
    }

    /** The interim response {@code 100 Continue}: a read-only view, another for each caller. */
    public static ByteBuffer continueResponse() {
        return CONTINUE.duplicate();
    }

    private static void putStatusLine(Response response, ByteBuffer out) {
        if (response.reason() == null) {
            out.put(ReasonPhrases.statusLine(response.status()));
            return;
        }
        out.put(VERSION);
        putDecimal(response.status(), out);
        out.put((byte) ' ');
        putText(response.reason(), out);
        out.put(CRLF);
    }

    /** Returns whether a Date was among them. */
    private static boolean putHandlerFields(Response response, ByteBuffer out) {
        Headers headers = response.headers();
        boolean mayUpgrade = response.status() == 426 || response.status() == 101;
        boolean upgrading = false;
        boolean dated = false;
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            FieldOwner owner = owner(name);
            if (owner == FieldOwner.EITHER) {
                // RFC 9110 section 5.3: a field that is not a list may be sent only once.
                if (dated || headers.value(i).isEmpty()) {
                    continue;
                }
                dated = true;
            } else if (owner == FieldOwner.SERVER) {
                if (!mayUpgrade || !name.equalsIgnoreCase("upgrade")) {
                    continue;
                }
                // RFC 9110 section 7.8: 101 and 426 name the protocols, as an option of the
                // connection.
                if (!upgrading) {
                    out.put(UPGRADE);
                    upgrading = true;
                }
            }
            putText(name, out);
            out.put(COLON);
            putText(headers.value(i), out);
            out.put(CRLF);
        }
        return dated;
    }

    /**
     * The server owns the connection and the fields about it. A handler's own Content-Length or
     * Transfer-Encoding could contradict the body.
     */
    private static FieldOwner owner(String name) {
        if (HopByHop.isHopByHop(name) || name.equalsIgnoreCase("content-length")) {
            return FieldOwner.SERVER;
        }
        return name.equalsIgnoreCase("date") ? FieldOwner.EITHER : FieldOwner.HANDLER;
    }

    /**
     * RFC 9110 section 8.6: no length with 204, zero with 205. A 304 and an empty response to HEAD
     * carry the length that GET would have had. Only the handler knows it, so the server adds none.
     */
    private static void putContentLength(Response response, boolean head, ByteBuffer out) {
        int status = response.status();
        if (status == 204) {
            return;
        }
        int length = status == 205 ? 0 : response.body().sizeBytes();
        boolean handlerKnows = status == 304 || (head && length == 0 && status != 205);
        String given = handlerKnows ? givenLength(response.headers()) : null;
        if (handlerKnows && given == null) {
            return;
        }
        out.put(CONTENT_LENGTH);
        if (given == null) {
            putDecimal(length, out);
        } else {
            putText(given, out);
        }
        out.put(CRLF);
    }

    /** The handler's own Content-Length if it is one number of at most 18 digits, or null. */
    private static @Nullable String givenLength(Headers headers) {
        String given = null;
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equalsIgnoreCase("content-length")) {
                String value = headers.value(i);
                if (given != null
                        || !CharTables.isDigits(value)
                        || value.length() > MOST_LENGTH_DIGITS) {
                    return null;
                }
                given = value;
            }
        }
        return given;
    }

    // The deprecated method drops the high byte of each character, which is what ISO-8859-1 text
    // wants, and is the only one that copies from a String to an array without another in between.
    @SuppressWarnings("deprecation")
    private static void putText(String text, ByteBuffer out) {
        int length = text.length();
        if (out.hasArray()) {
            int start = out.position();
            out.position(start + length);
            text.getBytes(0, length, out.array(), out.arrayOffset() + start);
        } else {
            for (int i = 0; i < length; i++) {
                out.put((byte) text.charAt(i));
            }
        }
    }

    private static void putDecimal(int number, ByteBuffer out) {
        int digits = 1;
        for (int rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        int at = out.position() + digits;
        out.position(at);
        for (int rest = number; digits > 0; digits--, rest /= 10) {
            out.put(--at, (byte) ('0' + rest % 10));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

package dev.handoff.http;

import java.util.Locale;

/**
 * Every fault of the client's own for which its request is refused before a handler sees it. Each
 * has a status.
 *
 * <p>The {@link RequestParser} finds most of them, the server the time-outs.
 */
public enum Refusal {
    BAD_METHOD(400, "The method is not a token, or too many empty lines came before it."),
    METHOD_TOO_LONG(501, "The method is longer than a whole request head may be."),
    LOWER_CASE_METHOD(
            501, "The method has a letter in lower case; every method here is in upper case."),
    BAD_TARGET(
            400, "The target is empty, has the wrong form for its method, or lacks an encoding."),
    HTTPS_WITHOUT_TLS(421, "The target is an https URI, but this connection has no TLS."),
    TARGET_TOO_LONG(414, "The request target is too long."),
    BAD_VERSION(400, "The request line does not end with a protocol version such as HTTP/1.1."),
    UNSUPPORTED_VERSION(505, "This server speaks only HTTP/1.0 and HTTP/1.1."),
    CONNECT_UNSUPPORTED(501, "This server is not a proxy: CONNECT is not supported."),

    BAD_HEADER_NAME(400, "A field name is empty or has a character that is not allowed in one."),
    SPACE_BEFORE_COLON(400, "There is white space between a field name and its colon."),
    OBSOLETE_FOLD(400, "A field line starts with white space; folded lines are not allowed."),
    BAD_HEADER_VALUE(400, "A field value has a control character."),
    BARE_CR(400, "A carriage return stands without a line feed."),
    BARE_LF(400, "A line ends with a line feed alone."),
    HEAD_TOO_LARGE(431, "The request line and header fields together are too large."),
    TOO_MANY_FIELDS(431, "There are too many header fields."),

    MISSING_HOST(400, "The Host field is missing."),
    DUPLICATE_HOST(400, "There is more than one Host field."),
    BAD_HOST(400, "The Host field is empty or is not a host with an optional port."),
    UNKNOWN_EXPECTATION(417, "The Expect field asks for something other than 100-continue."),

    TRANSFER_ENCODING_IN_1_0(400, "Transfer-Encoding is not part of HTTP/1.0."),
    LENGTH_WITH_TRANSFER_ENCODING(400, "Content-Length came together with Transfer-Encoding."),
    CHUNKED_NOT_LAST(400, "Chunked must be the last transfer coding, and be applied once."),
    UNKNOWN_TRANSFER_CODING(501, "A transfer coding other than chunked is not supported."),
    DUPLICATE_CONTENT_LENGTH(400, "There is more than one Content-Length field."),
    BAD_CONTENT_LENGTH(400, "The Content-Length is not a decimal number of at most 64 bits."),
    BODY_TOO_LARGE(413, "The content is too large."),

    BAD_CHUNK_SIZE(400, "A chunk size is not a hexadecimal number of reasonable length."),
    BAD_CHUNK_EXTENSION(400, "A chunk extension is malformed."),
    CHUNK_EXTENSION_TOO_LONG(400, "The chunk extensions are too long."),
    BAD_CHUNK_END(400, "A chunk does not end where its size says."),
    TRAILERS_TOO_LARGE(431, "The trailer section is too large or has too many fields."),

    HEAD_TIMEOUT(408, "The header section did not arrive in time."),
    BODY_TIMEOUT(408, "The content did not arrive in time."),
    BODY_TOO_SLOW(408, "The content arrived slowly, and others waited for the handler."),

    SENT_AHEAD(
            429,
            "Too much came behind a request that had to wait for its response; send less ahead.");

    private final int status;
    private final String code;
    private final String message;

    Refusal(int status, String message) {
        this.status = status;
        this.code = name().toLowerCase(Locale.ROOT);
        this.message = message;
    }

    /** The error that the client gets. */
    public ErrorMessage error() {
        return new ErrorMessage(status, code, message);
    }

    public int status() {
        return status;
    }

    /** The rule that was broken, in snake_case: for the Handoff-Error field, metrics and logs. */
    public String code() {
        return code;
    }

    /** One sentence for the client. */
    public String message() {
        return message;
    }
}

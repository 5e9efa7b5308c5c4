package dev.handoff.http.websocket;

/** The rules of RFC 6455 and RFC 7692 that a peer can break, with the code it is told. */
public enum WebSocketFault {
    UNMASKED(CloseCode.PROTOCOL_ERROR, "a frame without mask"),
    MASKED(CloseCode.PROTOCOL_ERROR, "a frame of a server with a mask"),
    RESERVED_BITS(CloseCode.PROTOCOL_ERROR, "a reserved bit that was not agreed on"),
    UNKNOWN_OPCODE(CloseCode.PROTOCOL_ERROR, "an unknown opcode"),
    FRAGMENTED_CONTROL(CloseCode.PROTOCOL_ERROR, "a control frame in fragments"),
    LONG_CONTROL(CloseCode.PROTOCOL_ERROR, "a control frame of more than 125 bytes"),
    BAD_LENGTH(CloseCode.PROTOCOL_ERROR, "a length that is not as short as it can be"),
    UNEXPECTED_CONTINUATION(CloseCode.PROTOCOL_ERROR, "a fragment of no message"),
    UNFINISHED_MESSAGE(CloseCode.PROTOCOL_ERROR, "a message inside another one"),
    BAD_CLOSE(CloseCode.PROTOCOL_ERROR, "a close of one byte"),
    BAD_CLOSE_CODE(CloseCode.PROTOCOL_ERROR, "a close code that may not be sent"),
    NOT_UTF8(CloseCode.NOT_UTF8, "text that is not UTF-8"),
    BAD_COMPRESSION(CloseCode.NOT_UTF8, "data that cannot be decompressed"),
    TOO_MANY_FRAGMENTS(CloseCode.POLICY, "too many empty fragments"),
    TOO_BIG(CloseCode.TOO_BIG, "the message is too long");

    private final int code;
    private final String text;

    WebSocketFault(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The code of the close frame that tells the client. */
    public int code() {
        return code;
    }

    /** What the client sent, as the reason of the close frame. */
    public String text() {
        return text;
    }
}

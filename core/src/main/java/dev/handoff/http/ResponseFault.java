package dev.handoff.http;

import java.util.Locale;

/** Every rule that a handler's {@link Response} can break; see {@link ResponseRules}. */
public enum ResponseFault {
    BAD_STATUS("The status is not a number from 200 to 599."),
    BAD_REASON("The reason phrase has a control character or one beyond ISO-8859-1."),
    BAD_HEADER_NAME("A field name is not a token."),
    BAD_HEADER_VALUE("A field value has a control character or one beyond ISO-8859-1."),
    BAD_SUBPROTOCOL("The client did not offer the subprotocol of the WebSocket."),
    CONTENT_TOO_LONG("The content is longer than the Content-Length."),
    CONTENT_TOO_SHORT("The content is shorter than the Content-Length.");

    private final String code;
    private final String message;

    ResponseFault(String message) {
        this.code = name().toLowerCase(Locale.ROOT);
        this.message = message;
    }

    /** The rule that was broken, in snake_case: for metrics and logs. */
    public String code() {
        return code;
    }

    /** One sentence for the author of the handler. */
    public String message() {
        return message;
    }
}

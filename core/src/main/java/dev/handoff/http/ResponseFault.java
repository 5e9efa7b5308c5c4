package dev.handoff.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Every rule that a handler's {@link Response} can break. If a handler copied a value with a line
 * end from a request, the sender of that request could write responses of its own.
 */
public enum ResponseFault {
    BAD_STATUS("The status is not a number from 200 to 599."),
    BAD_REASON("The reason phrase has a control character or one beyond ISO-8859-1."),
    BAD_HEADER_NAME("A field name is not a token."),
    BAD_HEADER_VALUE("A field value has a control character or one beyond ISO-8859-1."),
    BAD_SUBPROTOCOL("The client did not offer the subprotocol of the WebSocket."),
    CONTENT_TOO_LONG("The content is longer than the Content-Length."),
    CONTENT_TOO_SHORT("The content is shorter than the Content-Length.");

    private static final int FIRST_STATUS = 200;
    private static final int LAST_STATUS = 599;

    private final String code;
    private final String message;

    ResponseFault(String message) {
        this.code = name().toLowerCase(Locale.ROOT);
        this.message = message;
    }

    /** The first rule that a whole response breaks, or null if it may be sent. */
    public static @Nullable ResponseFault of(Response response) {
        if (response.status() < FIRST_STATUS || response.status() > LAST_STATUS) {
            return BAD_STATUS;
        }
        return ofText(response);
    }

    /** The same for a response whose status the server has chosen. */
    public static @Nullable ResponseFault ofText(Response response) {
        if (response.reason() != null && !isText(response.reason())) {
            return BAD_REASON;
        }
        Headers headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            if (!CharTables.isToken(headers.name(i))) {
                return BAD_HEADER_NAME;
            }
            if (!isText(headers.value(i))) {
                return BAD_HEADER_VALUE;
            }
        }
        return null;
    }

    /** Reason phrases have the same characters as field values (RFC 9112 section 4). */
    private static boolean isText(String text) {
        return CharTables.isAllOf(CharTables.FIELD_VALUE, text);
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

package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * The rules that a handler's response must keep before it is encoded. If a handler copied a value
 * with a line end from a request, the sender of that request could write responses of its own.
 */
public final class ResponseRules {
    private static final int FIRST_STATUS = 200;
    private static final int LAST_STATUS = 599;

    private ResponseRules() {}

    /** The first rule that the response breaks, or null if it may be sent. */
    public static @Nullable ResponseFault check(Response response) {
        if (response.status() < FIRST_STATUS || response.status() > LAST_STATUS) {
            return ResponseFault.BAD_STATUS;
        }
        return checkText(response);
    }

    /** The same for a response whose status the server has chosen. */
    public static @Nullable ResponseFault checkText(Response response) {
        if (response.reason() != null && !isText(response.reason())) {
            return ResponseFault.BAD_REASON;
        }
        Headers headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            if (!CharTables.isToken(headers.name(i))) {
                return ResponseFault.BAD_HEADER_NAME;
            }
            if (!isText(headers.value(i))) {
                return ResponseFault.BAD_HEADER_VALUE;
            }
        }
        return null;
    }

    /** Reason phrases have the same characters as field values (RFC 9112 section 4). */
    private static boolean isText(String text) {
        return CharTables.isAllOf(CharTables.FIELD_VALUE, text);
    }
}

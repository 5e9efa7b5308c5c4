package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * The field {@code traceparent} of W3C Trace Context, level 1, section 3.2: which trace a request
 * is part of.
 *
 * <pre>
 * version "-" trace-id "-" parent-id "-" trace-flags     hexadecimal digits, lower case, in number:
 *    2           32           16            2
 * </pre>
 */
public final class TraceParent {
    private static final String NAME = "traceparent";
    private static final int TRACE_ID = 3;
    private static final int PARENT_ID = 36;
    private static final int FLAGS = 53;
    private static final int LENGTH = 55;

    private TraceParent() {}

    /**
     * The 32 digits of the trace id. Null if there is no such field, more than one, or one that
     * breaks the rules, which the recommendation wants ignored (section 3.2.2).
     */
    public static @Nullable String traceId(Headers headers) {
        String value = null;
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equalsIgnoreCase(NAME)) {
                if (value != null) {
                    return null;
                }
                value = headers.value(i);
            }
        }
        return value != null && isValid(value) ? value.substring(TRACE_ID, PARENT_ID - 1) : null;
    }

    private static boolean isValid(String value) {
        return value.length() >= LENGTH
                && isHex(value, 0, 2)
                && !value.startsWith("ff")
                // Only a later version may have more after the flags.
                && (value.length() == LENGTH
                        || (!value.startsWith("00") && value.charAt(LENGTH) == '-'))
                && value.charAt(TRACE_ID - 1) == '-'
                && isHex(value, TRACE_ID, PARENT_ID - 1)
                && isNotZero(value, TRACE_ID, PARENT_ID - 1)
                && value.charAt(PARENT_ID - 1) == '-'
                && isHex(value, PARENT_ID, FLAGS - 1)
                && isNotZero(value, PARENT_ID, FLAGS - 1)
                && value.charAt(FLAGS - 1) == '-'
                && isHex(value, FLAGS, LENGTH);
    }

    private static boolean isHex(String value, int from, int to) {
        for (int i = from; i < to; i++) {
            char digit = value.charAt(i);
            if (!((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNotZero(String value, int from, int to) {
        for (int i = from; i < to; i++) {
            if (value.charAt(i) != '0') {
                return true;
            }
        }
        return false;
    }
}

package dev.handoff.launcher.logging;

import dev.handoff.process.protocol.SafeText;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON object (RFC 8259) on one line, whatever its values hold. Not thread-safe; {@link
 * #begin} starts the next.
 */
public final class JsonLine {
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder text = new StringBuilder(512);

    public JsonLine begin() {
        text.setLength(0);
        text.append('{');
        return this;
    }

    /** Leaves the key out where there is no value. */
    public JsonLine put(String key, @Nullable String value) {
        if (value != null) {
            key(key).append('"');
            appendEscaped(value);
            text.append('"');
        }
        return this;
    }

    public JsonLine put(String key, long value) {
        key(key).append(value);
        return this;
    }

    /** A time in milliseconds, exact to the microsecond. */
    public JsonLine putMillis(String key, long nanos) {
        appendMillis(nanos, key(key));
        return this;
    }

    /** The object without a line end; valid until the next {@link #begin}. */
    public StringBuilder end() {
        return text.append('}');
    }

    /** Milliseconds with three decimals, of a time that is not negative. */
    public static void appendMillis(long nanos, StringBuilder text) {
        long micros = nanos / 1000;
        text.append(micros / 1000).append('.');
        int rest = (int) (micros % 1000);
        text.append((char) ('0' + rest / 100));
        text.append((char) ('0' + rest / 10 % 10));
        text.append((char) ('0' + rest % 10));
    }

    private StringBuilder key(String key) {
        if (text.length() > 1) {
            text.append(',');
        }
        return text.append('"').append(key).append("\":");
    }

    private void appendEscaped(String value) {
        int plain = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\' || !isPrintable(c, value, i)) {
                text.append(value, plain, i);
                appendEscape(c);
                plain = i + 1;
            }
        }
        text.append(value, plain, value.length());
    }

    private void appendEscape(char c) {
        switch (c) {
            case '"', '\\' -> text.append('\\').append(c);
            case '\n' -> text.append("\\n");
            case '\t' -> text.append("\\t");
            default -> {
                text.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    text.append(HEX.charAt(c >> shift & 0xf));
                }
            }
        }
    }

    /** For half of a surrogate pair: whether the whole character is printable. */
    private static boolean isPrintable(char c, String value, int at) {
        if (!Character.isSurrogate(c)) {
            return SafeText.isPrintable(c);
        }
        boolean second = Character.isLowSurrogate(c) && at > 0;
        boolean whole = second && Character.isHighSurrogate(value.charAt(at - 1));
        return SafeText.isPrintable(value.codePointAt(whole ? at - 1 : at));
    }
}

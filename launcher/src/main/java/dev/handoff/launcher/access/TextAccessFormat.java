package dev.handoff.launcher.access;

import dev.handoff.launcher.logging.JsonLine;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The Combined Log Format, which log tools know, followed by our own fields as {@code name=value}.
 *
 * <pre>
 * 192.0.2.1 - - [06/Nov/1994:08:49:37 +0000] "GET /a HTTP/1.1" 200 6 "-" "curl/8.5" ms=1.234
 *     wait=0.012 handler=1.101 pool=default worker=default-1 id=abc trace=- error=-     (all of it
 *     on one line)
 * </pre>
 *
 * <p>A field that is not known is {@code -}. All but visible ASCII, and the quote and the
 * backslash, are written as {@code \xHH}, so that clients can forge neither lines nor fields.
 */
final class TextAccessFormat implements AccessFormat {
    private static final String HEX = "0123456789abcdef";

    private final EntryTime time;

    TextAccessFormat(ZoneId zone) {
        time = EntryTime.commonLog(zone);
    }

    @Override
    public void append(AccessEntry entry, StringBuilder lines) {
        lines.append(address(entry.client())).append(" - - [");
        lines.append(time.format(entry.epochMillis())).append("] \"");
        appendRequest(entry, lines);
        lines.append("\" ");
        if (entry.status() == AccessEntry.NONE) {
            lines.append('-');
        } else {
            lines.append(entry.status());
        }
        lines.append(' ').append(entry.bodyBytes());
        lines.append(" \"");
        appendVisible(entry.referer(), lines);
        lines.append("\" \"");
        appendVisible(entry.userAgent(), lines);
        lines.append("\" ms=");
        appendMillis(entry.durationNanos(), lines);
        lines.append(" wait=");
        appendMillis(entry.waitNanos(), lines);
        lines.append(" handler=");
        appendMillis(entry.handlerNanos(), lines);
        lines.append(" pool=");
        appendVisible(entry.pool(), lines);
        lines.append(" worker=");
        appendVisible(entry.worker(), lines);
        lines.append(" id=");
        appendVisible(entry.requestId(), lines);
        lines.append(" trace=");
        appendVisible(entry.traceId(), lines);
        lines.append(" error=");
        appendVisible(entry.error(), lines);
        lines.append('\n');
    }

    private static void appendRequest(AccessEntry entry, StringBuilder lines) {
        if (entry.method().isEmpty()) {
            lines.append('-');
            return;
        }
        appendVisible(entry.method(), lines);
        lines.append(' ');
        appendVisible(entry.target().isEmpty() ? null : entry.target(), lines);
        if (entry.version() != null) {
            lines.append(" HTTP/").append(entry.version());
        }
    }

    /** Omits the port, for which the format has no field, and the brackets of IPv6. */
    private static String address(String client) {
        int colon = client.lastIndexOf(':');
        String address = colon < 0 ? client : client.substring(0, colon);
        return address.startsWith("[") ? address.substring(1, address.length() - 1) : address;
    }

    private static void appendMillis(long nanos, StringBuilder lines) {
        if (nanos == AccessEntry.UNKNOWN) {
            lines.append('-');
        } else {
            JsonLine.appendMillis(nanos, lines);
        }
    }

    private static void appendVisible(@Nullable String text, StringBuilder lines) {
        if (text == null || text.isEmpty()) {
            lines.append('-');
            return;
        }
        int plain = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c >= 0x7f || c == '"' || c == '\\') {
                lines.append(text, plain, i).append("\\x");
                lines.append(HEX.charAt(c >> 4 & 0xf)).append(HEX.charAt(c & 0xf));
                plain = i + 1;
            }
        }
        lines.append(text, plain, text.length());
    }
}

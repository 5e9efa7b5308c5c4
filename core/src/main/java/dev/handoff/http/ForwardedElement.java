package dev.handoff.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One station of a request, as the proxy behind it wrote it into {@code Forwarded} (RFC 7239) or
 * {@code X-Forwarded-For}. It knows the syntax only; the server decides whom to believe.
 *
 * @param node an address, perhaps with a port, or {@code unknown}, or a made-up name; empty where
 *     the proxy said nothing about it
 * @param proto the scheme in which the request came to the proxy, as the proxy wrote it; empty
 *     where it said nothing about that
 * @param text all that the proxy wrote about this station
 */
public record ForwardedElement(String node, String proto, String text) {

    /** The stations of an X-Forwarded-For line, in the order in which they were added. */
    public static List<ForwardedElement> ofXForwardedFor(String line) {
        List<ForwardedElement> elements = new ArrayList<>();
        FieldList.forEach(
                line,
                (from, to) -> {
                    String node = line.substring(from, to);
                    elements.add(new ForwardedElement(node, "", node));
                });
        return elements;
    }

    /**
     * The stations of a Forwarded line, or null if the line is malformed.
     *
     * <pre>
     * Forwarded         = 1#forwarded-element
     * forwarded-element = [ forwarded-pair ] *( ";" [ forwarded-pair ] )
     * forwarded-pair    = token "=" ( token / quoted-string )
     * </pre>
     *
     * <p>A quoted string may hold commas and semicolons. A reader that takes them for delimiters
     * lets a client invent stations.
     */
    public static @Nullable List<ForwardedElement> ofForwarded(String line) {
        List<ForwardedElement> elements = new ArrayList<>();
        int start = 0;
        while (start <= line.length()) {
            int end = endUnquoted(',', line, start, line.length());
            if (end < 0) {
                return null;
            }
            int from = FieldList.skipSpace(line, start, end);
            int to = FieldList.withoutSpaceAtEnd(line, from, end);
            if (from < to) {
                ForwardedElement element = elementOf(line, from, to);
                if (element == null) {
                    return null;
                }
                elements.add(element);
            }
            start = end + 1;
        }
        return elements;
    }

    /** The element; null where it is malformed. */
    private static @Nullable ForwardedElement elementOf(String line, int from, int to) {
        String node = null;
        String proto = null;
        int start = from;
        while (start <= to) {
            int end = endUnquoted(';', line, start, to);
            int equals = line.indexOf('=', start, end);
            if (equals >= 0) {
                String value = valueOf(line, equals + 1, end);
                boolean isFor = FieldList.isToken("for", line, start, equals);
                boolean isProto = FieldList.isToken("proto", line, start, equals);
                // RFC 7239 section 4: a parameter comes at most once in an element.
                if (value == null || (isFor && node != null) || (isProto && proto != null)) {
                    return null;
                }
                node = isFor ? value : node;
                proto = isProto ? value : proto;
            } else if (start < end) {
                return null;
            }
            start = end + 1;
        }
        return new ForwardedElement(
                node == null ? "" : node, proto == null ? "" : proto, line.substring(from, to));
    }

    private static @Nullable String valueOf(String line, int from, int to) {
        if (from == to || line.charAt(from) != '"') {
            return line.substring(from, to);
        }
        if (to - from < 2 || line.charAt(to - 1) != '"') {
            return null;
        }
        StringBuilder value = new StringBuilder();
        for (int i = from + 1; i < to - 1; i++) {
            if (line.charAt(i) == '\\') {
                i++;
            }
            value.append(line.charAt(i));
        }
        return value.toString();
    }

    /**
     * The index of the first delimiter outside of quotes, or {@code to}; -1 if quotes stay open.
     */
    private static int endUnquoted(char delimiter, String line, int from, int to) {
        boolean quoted = false;
        for (int i = from; i < to; i++) {
            char c = line.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (quoted && c == '\\') {
                i++;
            } else if (!quoted && c == delimiter) {
                return i;
            }
        }
        return quoted ? -1 : to;
    }
}

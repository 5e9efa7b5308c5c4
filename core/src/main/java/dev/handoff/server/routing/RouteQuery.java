package dev.handoff.server.routing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a target's query, decoded as forms are: split at {@code &}, then at the first
 * {@code =}, {@code +} is a blank, and what is percent-encoded is UTF-8. Linear in the target.
 */
final class RouteQuery {
    /** By name; a name that comes more than once has null. */
    private final Map<String, @Nullable String> values = new HashMap<>();

    RouteQuery(String target) {
        int from = target.indexOf('?') + 1;
        while (from > 0 && from <= target.length()) {
            int ampersand = target.indexOf('&', from);
            int to = ampersand < 0 ? target.length() : ampersand;
            if (to > from) {
                add(target.substring(from, to));
            }
            from = to + 1;
        }
    }

    private void add(String pair) {
        int equals = pair.indexOf('=');
        String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
        String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
        values.put(name, values.containsKey(name) ? null : value);
    }

    /** The value of the parameter; null if it does not come exactly once. */
    @Nullable String only(String name) {
        return values.get(name);
    }

    private static String decoded(String text) {
        if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
            return text;
        }
        ByteArrayOutputStream octets = new ByteArrayOutputStream(text.length());
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            int octet = c == '%' ? RoutePath.octetAt(text, at) : -1;
            if (octet >= 0) {
                octets.write(octet);
                at += 3;
            } else {
                octets.write(c == '+' ? ' ' : c);
                at++;
            }
        }
        return octets.toString(StandardCharsets.UTF_8);
    }
}

package dev.handoff.server;

import java.nio.charset.StandardCharsets;

/**
 * The readings of a request's path. A path that is spelled plainly has one; for others there are
 * two, which bracket what handlers make of it:
 *
 * <ul>
 *   <li>as it stands: each segment is percent-decoded, and an encoded slash is part of its segment;
 *   <li>resolved: an encoded slash is a slash, empty segments are nothing, dot segments are taken
 *       out as in RFC 3986 section 5.2.4.
 * </ul>
 *
 * Paths are compared octet by octet, one character each.
 */
final class RoutePath {
    private RoutePath() {}

    /** Whether the first {@code end} characters have nothing to decode or to resolve. */
    static boolean isPlain(String path, int end) {
        for (int i = 0; i < end; i++) {
            char c = path.charAt(i);
            char next = i + 1 < end ? path.charAt(i + 1) : ' ';
            if (c == '%' || (c == '/' && (next == '/' || next == '.'))) {
                return false;
            }
        }
        return true;
    }

    /** Whether the readings differ in more than a slash at the end. */
    static boolean isAmbiguous(String path) {
        String asItStands = asItStands(path, path.length());
        String resolved = resolved(path, path.length());
        return !asItStands.equals(resolved) && !asItStands.equals(resolved + "/");
    }

    /** How a pattern's path is compared: decoded, and nothing for the root. */
    static String ofPattern(String path) {
        byte[] utf8 = path.getBytes(StandardCharsets.UTF_8);
        return resolved(new String(utf8, StandardCharsets.ISO_8859_1), utf8.length);
    }

    static String asItStands(String path, int end) {
        return decode(path, end, false);
    }

    /** Without a slash at the end, so that the root is empty. */
    static String resolved(String path, int end) {
        String decoded = decode(path, end, true);
        StringBuilder result = new StringBuilder(decoded.length());
        int from = 1;
        while (from <= decoded.length()) {
            int slash = decoded.indexOf('/', from);
            int to = slash < 0 ? decoded.length() : slash;
            append(decoded, from, to, result);
            from = to + 1;
        }
        return result.toString();
    }

    private static void append(String path, int from, int to, StringBuilder result) {
        int length = to - from;
        if (length == 0 || (length == 1 && path.charAt(from) == '.')) {
            return;
        }
        if (length == 2 && path.charAt(from) == '.' && path.charAt(from + 1) == '.') {
            result.setLength(Math.max(0, result.lastIndexOf("/")));
            return;
        }
        result.append('/').append(path, from, to);
    }

    /** What is no encoding stays as it is. */
    private static String decode(String path, int end, boolean slashesToo) {
        StringBuilder decoded = new StringBuilder(end);
        int at = 0;
        while (at < end) {
            int octet = path.charAt(at) == '%' && at + 2 < end ? octet(path, at + 1) : -1;
            if (octet < 0 || (octet == '/' && !slashesToo)) {
                decoded.append(path.charAt(at));
                at++;
            } else {
                decoded.append((char) octet);
                at += 3;
            }
        }
        return decoded.toString();
    }

    private static int octet(String text, int at) {
        int high = Character.digit(text.charAt(at), 16);
        int low = Character.digit(text.charAt(at + 1), 16);
        return high < 0 || low < 0 ? -1 : 16 * high + low;
    }
}

package dev.handoff.server.routing;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * The readings of a request's path. A path that is spelled plainly has one. Of others, handlers
 * make different things, and every combination of these is a reading:
 *
 * <ul>
 *   <li>an encoded slash is a slash, or part of its segment;
 *   <li>an empty segment is nothing, or a segment;
 *   <li>dot segments are taken out as in RFC 3986 section 5.2.4, or are segments, or only those are
 *       taken out that have no encoded dot: a client or a proxy does so, and what follows decodes.
 * </ul>
 *
 * Everything else that is percent-encoded is decoded, dots among it. Paths are compared octet by
 * octet, one character each.
 */
final class RoutePath {
    private static final boolean[] EITHER = {false, true};

    /** What an encoded dot is decoded to where it makes no dot segment: no octet. */
    private static final char ENCODED_DOT = '\u0100';

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
        String resolved = resolved(path, path.length());
        for (String reading : readings(path, path.length())) {
            if (!reading.equals(resolved) && !reading.equals(resolved + "/")) {
                return true;
            }
        }
        return false;
    }

    /** How a pattern's path is compared: decoded, and nothing for the root. */
    static String ofPattern(String path) {
        byte[] utf8 = path.getBytes(StandardCharsets.UTF_8);
        return resolved(new String(utf8, StandardCharsets.ISO_8859_1), utf8.length);
    }

    /** All that differ. */
    static Set<String> readings(String path, int end) {
        Set<String> readings = new HashSet<>();
        if (path.lastIndexOf('%', end - 1) < 0) {
            addReadings(path.substring(0, end), readings);
            return readings;
        }
        for (boolean slashesToo : EITHER) {
            addReadings(decode(path, end, slashesToo, '.'), readings);
            String dotsApart = decode(path, end, slashesToo, ENCODED_DOT);
            for (boolean emptyToo : EITHER) {
                readings.add(read(dotsApart, emptyToo, false).replace(ENCODED_DOT, '.'));
            }
        }
        return readings;
    }

    private static void addReadings(String decoded, Set<String> readings) {
        for (boolean emptyToo : EITHER) {
            for (boolean dotsToo : EITHER) {
                readings.add(read(decoded, emptyToo, dotsToo));
            }
        }
    }

    /**
     * The reading in which least is left. Without a slash at the end, so that the root is empty.
     */
    static String resolved(String path, int end) {
        return read(decode(path, end, true, '.'), false, false);
    }

    /**
     * @param emptyToo whether empty segments stay
     * @param dotsToo whether dot segments stay
     */
    private static String read(String decoded, boolean emptyToo, boolean dotsToo) {
        StringBuilder result = new StringBuilder(decoded.length());
        int from = 1;
        while (from <= decoded.length()) {
            int slash = decoded.indexOf('/', from);
            int to = slash < 0 ? decoded.length() : slash;
            boolean dot = !dotsToo && isDots(decoded, from, to, 1);
            if (!dotsToo && isDots(decoded, from, to, 2)) {
                result.setLength(Math.max(0, result.lastIndexOf("/")));
            } else if (!dot && (emptyToo || to > from)) {
                result.append('/').append(decoded, from, to);
            }
            from = to + 1;
        }
        return result.toString();
    }

    private static boolean isDots(String path, int from, int to, int count) {
        return to - from == count && path.startsWith("..".substring(0, count), from);
    }

    /**
     * What is no encoding stays as it is.
     *
     * @param dot what an encoded dot becomes
     */
    private static String decode(String path, int end, boolean slashesToo, char dot) {
        StringBuilder decoded = new StringBuilder(end);
        int at = 0;
        while (at < end) {
            int octet = path.charAt(at) == '%' && at + 2 < end ? octet(path, at + 1) : -1;
            if (octet < 0 || (octet == '/' && !slashesToo)) {
                decoded.append(path.charAt(at));
                at++;
            } else {
                decoded.append(octet == '.' ? dot : (char) octet);
                at += 3;
            }
        }
        return decoded.toString();
    }

    /**
     * Where the prefix ends in a target that begins with it: the target may have encoded anything
     * in it but the slashes. -1 if it does not begin so.
     *
     * @param prefix as {@link #ofPattern} has it
     */
    static int endOfPrefix(String prefix, String target) {
        int at = 0;
        for (int i = 0; i < prefix.length(); i++) {
            if (at == target.length()) {
                return -1;
            }
            int octet = target.charAt(at) == '%' ? octetAt(target, at) : -1;
            boolean encoded = octet >= 0 && octet != '/';
            if ((encoded ? octet : target.charAt(at)) != prefix.charAt(i)) {
                return -1;
            }
            at += encoded ? 3 : 1;
        }
        boolean whole =
                at == target.length() || target.charAt(at) == '/' || target.charAt(at) == '?';
        return whole ? at : -1;
    }

    /** The octet that is percent-encoded there; -1 for none. */
    static int octetAt(String text, int at) {
        return at + 2 < text.length() ? octet(text, at + 1) : -1;
    }

    private static int octet(String text, int at) {
        int high = Character.digit(text.charAt(at), 16);
        int low = Character.digit(text.charAt(at + 1), 16);
        return high < 0 || low < 0 ? -1 : 16 * high + low;
    }
}

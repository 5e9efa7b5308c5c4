package dev.handoff.server.routing;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
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
    /** Which slashes end a segment. */
    private enum Slashes {
        ALL,
        PLAIN
    }

    /** Which dots make dot segments. */
    private enum Dots {
        ALL,
        PLAIN,
        NONE;

        /** How many dots a segment has if it has nothing else, one or two; otherwise 0. */
        int in(char[] path, int from, int to) {
            int count = to - from;
            boolean only = count >= 1 && count <= 2 && is(path[from]) && is(path[to - 1]);
            return only ? count : 0;
        }

        private boolean is(char c) {
            return (c == '.' && this != NONE) || (c == ENCODED_DOT && this == ALL);
        }
    }

    /** What an encoded dot is decoded to: no octet. */
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
        for (String reading : readings(path, path.length(), Integer.MAX_VALUE)) {
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

    /**
     * The beginnings of all readings, first of the one in which least is left. The work is linear
     * in the path.
     *
     * @param mostLength how long a beginning is at most
     */
    static Set<String> readings(String path, int end, int mostLength) {
        Set<String> readings = new LinkedHashSet<>();
        char[] decoded = new char[end];
        char[] room = room(end, mostLength);
        for (Slashes slashes : Slashes.values()) {
            int length = decode(path, end, slashes, decoded);
            for (Dots dots : Dots.values()) {
                readings.add(read(decoded, length, false, dots, room));
                readings.add(read(decoded, length, true, dots, room));
            }
        }
        return readings;
    }

    /**
     * The reading in which least is left. Without a slash at the end, so that the root is empty.
     */
    static String resolved(String path, int end) {
        char[] decoded = new char[end];
        int length = decode(path, end, Slashes.ALL, decoded);
        return read(decoded, length, false, Dots.ALL, room(end, Integer.MAX_VALUE));
    }

    /** A reading may have a slash more than the path. */
    private static char[] room(int end, int mostLength) {
        return new char[Math.min(end + 1, mostLength)];
    }

    /**
     * @param emptyToo whether empty segments stay
     * @param dots which make segments that are taken out
     * @param room for as much of the reading as is wanted
     */
    private static String read(
            char[] decoded, int length, boolean emptyToo, Dots dots, char[] room) {
        int out = 0;
        int segmentsBeyond = 0;
        int from = 1;
        while (from <= length) {
            int to = from;
            while (to < length && decoded[to] != '/') {
                to++;
            }
            int count = dots.in(decoded, from, to);
            if (count == 2) {
                if (segmentsBeyond > 0) {
                    segmentsBeyond--;
                } else {
                    out = withoutLast(room, out);
                }
            } else if (count == 0 && (emptyToo || to > from)) {
                if (out == room.length) {
                    segmentsBeyond++;
                } else {
                    out = append(decoded, from, to, room, out);
                }
            }
            from = to + 1;
        }
        return new String(room, 0, out);
    }

    /** Appends a segment, as far as there is room. */
    private static int append(char[] decoded, int from, int to, char[] room, int at) {
        int out = at;
        room[out++] = '/';
        for (int i = from; i < to && out < room.length; i++) {
            room[out++] = decoded[i] == ENCODED_DOT ? '.' : decoded[i];
        }
        return out;
    }

    /** Where the last segment begins. Each is taken out once, so all looks together are linear. */
    private static int withoutLast(char[] path, int length) {
        int at = length;
        while (at > 0 && path[--at] != '/') {}
        return at;
    }

    /**
     * What is no encoding stays as it is. An encoded dot becomes {@link #ENCODED_DOT}.
     *
     * @return how many characters it has become
     */
    private static int decode(String path, int end, Slashes slashes, char[] decoded) {
        int length = 0;
        int at = 0;
        while (at < end) {
            char c = path.charAt(at);
            int octet = c == '%' && at + 2 < end ? octet(path, at + 1) : -1;
            if (octet < 0 || (octet == '/' && slashes == Slashes.PLAIN)) {
                decoded[length++] = c;
                at++;
            } else {
                decoded[length++] = octet == '.' ? ENCODED_DOT : (char) octet;
                at += 3;
            }
        }
        return length;
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

package dev.handoff.server.files;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file that a request asks for, below the folder.
 *
 * @param names of the folders and the file; empty for the folder itself
 * @param ofFolder whether a slash ends it
 */
record FilePath(List<String> names, boolean ofFolder) {
    private static final int RADIX = 16;

    /** No folder is so deep: each name is work, on an event loop. */
    static final int MOST_NAMES = 500;

    /** RFC 8615: what other programs look for at the top of a host. */
    private static final String WELL_KNOWN = ".well-known";

    /**
     * Reads the path of a target behind the prefix. Each name has one spelling but for its percent
     * encoding: null for dot segments, empty names, slashes and backslashes that are encoded,
     * control characters, and what is no UTF-8. Null, too, for {@linkplain #isHidden hidden} files
     * and for more names than {@link #MOST_NAMES}.
     */
    static @Nullable FilePath of(String target, String prefix) {
        int query = target.indexOf('?');
        String path = target.substring(prefix.length(), query < 0 ? target.length() : query);
        if (path.isEmpty()) {
            return new FilePath(List.of(), false);
        }
        if (path.charAt(0) != '/') {
            return null;
        }
        boolean ofFolder = path.endsWith("/");
        int end = ofFolder ? path.length() - 1 : path.length();
        List<String> names = new ArrayList<>();
        int from = 1;
        while (from <= end) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 ? path.length() : slash;
            String name = decoded(path, from, to);
            if (name == null || !isName(name) || names.size() == MOST_NAMES) {
                return null;
            }
            names.add(name);
            from = to + 1;
        }
        return isHidden(names) ? null : new FilePath(List.copyOf(names), ofFolder);
    }

    /**
     * Whether a name begins with a dot: such files are not meant for others, as {@code .git} and
     * {@code .env}. The folder for well-known files is, at the top.
     */
    static boolean isHidden(List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (name.startsWith(".") && !(i == 0 && name.equals(WELL_KNOWN))) {
                return true;
            }
        }
        return false;
    }

    /** The same below this path. */
    List<String> with(String name) {
        List<String> longer = new ArrayList<>(names);
        longer.add(name);
        return longer;
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.chars().noneMatch(c -> c < ' ' || c == 0x7f || c == '/' || c == '\\');
    }

    private static boolean isPlain(String path, int from, int to) {
        for (int i = from; i < to; i++) {
            if (path.charAt(i) == '%' || path.charAt(i) > 0x7f) {
                return false;
            }
        }
        return true;
    }

    /** Null for what is no encoding, and no UTF-8. */
    private static @Nullable String decoded(String path, int from, int to) {
        if (isPlain(path, from, to)) {
            return path.substring(from, to);
        }
        ByteArrayOutputStream octets = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            char c = path.charAt(i);
            if (c != '%') {
                octets.write(c);
                continue;
            }
            int high = i + 2 < to ? Character.digit(path.charAt(i + 1), RADIX) : -1;
            int low = high < 0 ? -1 : Character.digit(path.charAt(i + 2), RADIX);
            if (low < 0) {
                return null;
            }
            octets.write(RADIX * high + low);
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(octets.toByteArray()))
                    .toString();
        } catch (CharacterCodingException noText) {
            return null;
        }
    }
}

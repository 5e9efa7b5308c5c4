package dev.handoff.server.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Names of whole parts, such as paths of segments: finds the longest that a text begins with, in
 * one pass over the text and without a copy. Immutable.
 *
 * <p>Each name is kept by its hash. The hash of what a text begins with grows by one character at a
 * time, so that all its beginnings are looked up in a time that is linear in the text, and in the
 * longest name.
 */
final class NameTable<V> {
    /** How many places there are for each name, at least. */
    private static final int PLACES = 2;

    private final char separator;
    private final boolean backwards;
    private final int longest;

    /** A name stands at the place of its hash, or at the next free one. */
    private final List<@Nullable Name<V>> places;

    /**
     * @param hash see {@link #grown}
     * @param shorter the next one that a text begins with which begins with this
     */
    record Name<V>(String text, int hash, V value, @Nullable Name<V> shorter) {
        int length() {
            return text.length();
        }
    }

    private NameTable(Map<String, V> values, char separator, boolean backwards) {
        this.separator = separator;
        this.backwards = backwards;
        this.longest = values.keySet().stream().mapToInt(String::length).max().orElse(0);
        int size = Integer.highestOneBit(PLACES * values.size() + 1) * 2;
        this.places = new ArrayList<>(Collections.nCopies(size, null));
        Map<String, V> shortFirst = new TreeMap<>(NameTable::compareShortFirst);
        shortFirst.putAll(values);
        shortFirst.forEach(this::add);
    }

    /** Paths: segments with a slash before each, compared as they are. */
    static <V> NameTable<V> ofPaths(Map<String, V> values) {
        return new NameTable<>(values, '/', false);
    }

    /**
     * Hosts in lower case, which are read from their end and compared without regard to case:
     * {@code example.org} is what {@code API.example.org} begins with.
     */
    static <V> NameTable<V> ofHosts(Map<String, V> values) {
        return new NameTable<>(values, '.', true);
    }

    private static int compareShortFirst(String one, String other) {
        int lengths = Integer.compare(one.length(), other.length());
        return lengths != 0 ? lengths : one.compareTo(other);
    }

    private void add(String text, V value) {
        int hash = 0;
        for (int i = 0; i < text.length(); i++) {
            hash = grown(hash, text, i, text.length());
        }
        Name<V> shorter = longest(text, text.length());
        int place = place(hash);
        while (places.get(place) != null) {
            place = (place + 1) & (places.size() - 1);
        }
        places.set(place, new Name<>(text, hash, value, shorter));
    }

    /**
     * The longest name that the text begins with, up to a separator or the end; null if none.
     *
     * @param end where the text ends
     */
    @Nullable Name<V> longest(String text, int end) {
        Name<V> found = null;
        int hash = 0;
        int most = Math.min(end, longest);
        for (int length = 0; length <= most; length++) {
            if (length == end || at(text, length, end) == separator) {
                Name<V> name = find(text, length, end, hash);
                found = name == null ? found : name;
            }
            if (length < most) {
                hash = grown(hash, text, length, end);
            }
        }
        return found;
    }

    private @Nullable Name<V> find(String text, int length, int end, int hash) {
        int from = backwards ? end - length : 0;
        int place = place(hash);
        for (Name<V> name = places.get(place); name != null; name = places.get(place)) {
            if (name.hash == hash
                    && name.length() == length
                    && text.regionMatches(backwards, from, name.text, 0, length)) {
                return name;
            }
            place = (place + 1) & (places.size() - 1);
        }
        return null;
    }

    private int place(int hash) {
        return (hash ^ (hash >>> 16)) & (places.size() - 1);
    }

    /** The hash of one character more. */
    private int grown(int hash, String text, int index, int end) {
        char c = at(text, index, end);
        return 31 * hash + (backwards && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }

    private char at(String text, int index, int end) {
        return text.charAt(backwards ? end - 1 - index : index);
    }
}

package dev.handoff.admin.stats;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A counter for each constant of an enumeration. Counting allocates nothing. Belongs to one loop's
 * thread.
 */
final class EnumCounters<E extends Enum<E>> {
    private final E[] keys;
    private final long[] counts;

    EnumCounters(Class<E> type) {
        keys = type.getEnumConstants();
        counts = new long[keys.length];
    }

    void count(E key) {
        add(key, 1);
    }

    @SuppressWarnings("EnumOrdinal") // An index in memory alone, never stored.
    void add(E key, long number) {
        counts[key.ordinal()] += number;
    }

    CountsBy<E> totals() {
        SortedMap<E, Long> totals = new TreeMap<>();
        for (int i = 0; i < keys.length; i++) {
            totals.put(keys[i], counts[i]);
        }
        return new CountsBy<>(totals);
    }
}

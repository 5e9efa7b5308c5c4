package dev.handoff.admin.stats;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The value of each of several counts, reasons or kinds.
 *
 * @param counts in the order of the keys; of an enumeration all constants are there, also with 0
 */
public record CountsBy<K extends Comparable<K>>(SortedMap<K, Long> counts) {
    public CountsBy {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }

    static <K extends Comparable<K>> CountsBy<K> none() {
        return new CountsBy<K>(new TreeMap<>());
    }

    public long of(K key) {
        return counts.getOrDefault(key, 0L);
    }

    public long total() {
        return totalOf(key -> true);
    }

    /** The sum of those that are wanted. */
    public long totalOf(Predicate<K> wanted) {
        long total = 0;
        for (Map.Entry<K, Long> each : counts.entrySet()) {
            total += wanted.test(each.getKey()) ? each.getValue() : 0;
        }
        return total;
    }

    CountsBy<K> combine(CountsBy<K> other, Combination how) {
        SortedMap<K, Long> combined = new TreeMap<>(counts);
        other.counts.forEach((key, count) -> combined.put(key, how.of(of(key), count)));
        return new CountsBy<>(combined);
    }
}

package dev.handoff.admin.stats;

import java.util.SortedMap;
import java.util.TreeMap;

/** Counts something for each of its reasons, without allocating. Belongs to one loop's thread. */
final class ReasonCounters<E extends Enum<E>> {
    private final E[] reasons;
    private final long[] counts;

    ReasonCounters(Class<E> type) {
        reasons = type.getEnumConstants();
        counts = new long[reasons.length];
    }

    @SuppressWarnings("EnumOrdinal") // An index for as long as the program runs.
    void count(E reason) {
        counts[reason.ordinal()]++;
    }

    CountsBy<E> totals() {
        SortedMap<E, Long> totals = new TreeMap<>();
        for (int i = 0; i < reasons.length; i++) {
            totals.put(reasons[i], counts[i]);
        }
        return new CountsBy<>(totals);
    }
}

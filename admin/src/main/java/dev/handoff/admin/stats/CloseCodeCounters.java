package dev.handoff.admin.stats;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts WebSockets by the code that closed them: each code of RFC 6455 by itself, those of
 * applications in thousands, since clients choose among 2,000. Belongs to one loop's thread.
 */
final class CloseCodeCounters {
    private static final int FIRST = 1000;
    private static final int LAST = 1014;
    private static final int THOUSAND = 1000;

    private final long[] registered = new long[LAST - FIRST + 1];
    private long ofLibraries;
    private long ofApplications;

    void count(int code) {
        if (code >= FIRST && code <= LAST) {
            registered[code - FIRST]++;
        } else if (code / THOUSAND == 3) {
            ofLibraries++;
        } else {
            ofApplications++;
        }
    }

    CountsBy<String> totals() {
        SortedMap<String, Long> totals = new TreeMap<>();
        for (int i = 0; i < registered.length; i++) {
            totals.put(Integer.toString(FIRST + i), registered[i]);
        }
        totals.put("3xxx", ofLibraries);
        totals.put("4xxx", ofApplications);
        return new CountsBy<>(totals);
    }
}

package dev.handoff.admin.stats;

import java.util.SortedMap;
import java.util.TreeMap;

/** Counts responses by method and status, with their latency. Belongs to one loop's thread. */
final class ResponseCounters {
    private static final String OTHER = "other";
    private static final String[] METHODS = {
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", OTHER
    };
    private static final int LEAST_STATUS = 100;
    private static final int STATUSES = 500;

    /** By method and status; methods that were never answered have no row. */
    private final long[][] counts = new long[METHODS.length][];

    private final DurationRecorder latency = new DurationRecorder();

    void count(String method, int status, long latencyNanos) {
        int row = row(method);
        if (counts[row] == null) {
            counts[row] = new long[STATUSES];
        }
        counts[row][status - LEAST_STATUS]++;
        latency.record(latencyNanos);
    }

    ResponseTotals totals() {
        SortedMap<ResponseKind, Long> byKind = new TreeMap<>();
        for (int row = 0; row < METHODS.length; row++) {
            for (int i = 0; counts[row] != null && i < STATUSES; i++) {
                if (counts[row][i] > 0) {
                    byKind.put(new ResponseKind(METHODS[row], LEAST_STATUS + i), counts[row][i]);
                }
            }
        }
        return new ResponseTotals(new CountsBy<>(byKind), latency.copy());
    }

    private static int row(String method) {
        for (int row = 0; row < METHODS.length - 1; row++) {
            if (METHODS[row].equals(method)) {
                return row;
            }
        }
        return METHODS.length - 1;
    }
}

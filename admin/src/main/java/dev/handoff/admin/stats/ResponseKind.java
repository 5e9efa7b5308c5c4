package dev.handoff.admin.stats;

import java.util.Comparator;

/**
 * The kind of a response, for counting.
 *
 * @param method one of RFC 9110's, PATCH, or {@code other}: clients can make up any
 * @param status 200 to 599
 */
public record ResponseKind(String method, int status) implements Comparable<ResponseKind> {
    private static final Comparator<ResponseKind> ORDER =
            Comparator.comparing(ResponseKind::method).thenComparingInt(ResponseKind::status);

    /** 2 for 200 to 299, and so on. */
    public int statusClass() {
        return status / 100;
    }

    @Override
    public int compareTo(ResponseKind other) {
        return ORDER.compare(this, other);
    }
}

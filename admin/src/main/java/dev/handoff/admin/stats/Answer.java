package dev.handoff.admin.stats;

import java.util.Comparator;

/**
 * The kind of an answer, for counting.
 *
 * @param method one of RFC 9110's, PATCH, or {@code other}: clients can make up any
 * @param status 200 to 599
 */
public record Answer(String method, int status) implements Comparable<Answer> {
    private static final Comparator<Answer> ORDER =
            Comparator.comparing(Answer::method).thenComparingInt(Answer::status);

    /** 2 for 200 to 299, and so on. */
    public int statusClass() {
        return status / 100;
    }

    @Override
    public int compareTo(Answer other) {
        return ORDER.compare(this, other);
    }
}

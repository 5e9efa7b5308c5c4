package dev.handoff.admin.stats;

/**
 * The answers that were given to clients.
 *
 * @param byKind by method and status
 * @param latency from the whole request to the answer given to the client's socket
 */
public record AnswerTotals(CountsBy<Answer> byKind, Durations latency) {
    static final AnswerTotals NONE = new AnswerTotals(CountsBy.none(), Durations.NONE);

    public long total() {
        return byKind.total();
    }

    /**
     * @param statusClass 2 for 200 to 299, and so on
     */
    public long ofClass(int statusClass) {
        return byKind.totalOf(kind -> kind.statusClass() == statusClass);
    }

    AnswerTotals plus(AnswerTotals other) {
        return new AnswerTotals(
                byKind.combine(other.byKind, Long::sum), latency.plus(other.latency));
    }

    AnswerTotals minus(AnswerTotals earlier) {
        return new AnswerTotals(
                byKind.combine(earlier.byKind, Totals.MINUS), latency.minus(earlier.latency));
    }
}

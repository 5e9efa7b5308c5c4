package dev.handoff.admin.stats;

/**
 * The responses that clients got.
 *
 * @param byKind by method and status
 * @param latency from the whole request to the response given to the client's socket
 */
public record ResponseTotals(CountsBy<ResponseKind> byKind, Durations latency) {
    static final ResponseTotals NONE = new ResponseTotals(CountsBy.none(), Durations.NONE);

    public long total() {
        return byKind.total();
    }

    /**
     * @param statusClass 2 for 200 to 299, and so on
     */
    public long ofClass(int statusClass) {
        return byKind.totalOf(kind -> kind.statusClass() == statusClass);
    }

    ResponseTotals combine(ResponseTotals other, Combination how) {
        return new ResponseTotals(
                byKind.combine(other.byKind, how), how.of(latency, other.latency));
    }
}

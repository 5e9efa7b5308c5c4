package dev.handoff.admin.stats;

import jakarta.json.JsonObjectBuilder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** How single values are written in JSON. */
final class JsonValues {
    /** Seconds to the millisecond, milliseconds to the microsecond. */
    private static final int DECIMALS = 3;

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private JsonValues() {}

    static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
    }

    /** A count divided by seconds; 0 if there are none. */
    static BigDecimal perSecond(long count, double seconds) {
        return rounded(seconds > 0 ? count / seconds : 0);
    }

    /** RFC 3339, in UTC. */
    static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** Counts by reason, named in small letters as in Handoff-Error. */
    static <E extends Enum<E>> JsonObjectBuilder counts(CountsBy<E> counts) {
        JsonObjectBuilder json = JsonBuilders.object();
        counts.counts()
                .forEach(
                        (reason, count) -> json.add(reason.name().toLowerCase(Locale.ROOT), count));
        return json;
    }

    static JsonObjectBuilder byName(CountsBy<String> counts) {
        JsonObjectBuilder json = JsonBuilders.object();
        counts.counts().forEach(json::add);
        return json;
    }

    static JsonObjectBuilder byStatus(ResponseTotals responses) {
        JsonObjectBuilder json = JsonBuilders.object();
        for (int statusClass = 1; statusClass <= 5; statusClass++) {
            json.add(statusClass + "xx", responses.ofClass(statusClass));
        }
        return json;
    }

    /** Without any, there is no mean and no percentile. */
    static JsonObjectBuilder millis(Durations durations) {
        JsonObjectBuilder json = JsonBuilders.object().add("count", durations.count());
        boolean any = durations.count() > 0;
        add("mean", any, durations.meanMillis(), json);
        for (double percentile : PERCENTILES) {
            add(name(percentile), any, durations.percentileMillis(percentile), json);
        }
        add("max", any, durations.maxMillis(), json);
        return json;
    }

    private static void add(String name, boolean any, double value, JsonObjectBuilder json) {
        if (any) {
            json.add(name, rounded(value));
        } else {
            json.addNull(name);
        }
    }

    /** p50, p99.9. */
    private static String name(double percentile) {
        return "p" + BigDecimal.valueOf(percentile).stripTrailingZeros().toPlainString();
    }
}

package dev.handoff.admin.stats;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long something took, each time. Immutable.
 *
 * <p>Lengths are exact to 1 % or to a microsecond, whichever is coarser. More than an hour counts
 * as an hour. The sum is exact.
 */
public final class Durations {
    /**
     * The histogram of one distribution takes 27 KB so, and 188 KB with one digit more: there are
     * some for each loop and pool that has requests.
     */
    private static final int SIGNIFICANT_DIGITS = 2;

    static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);

    /** The empty distribution. */
    public static final Durations NONE = new Durations(emptyHistogram(), 0);

    private static final double MICROS_PER_MILLI = 1e3;
    private static final double MICROS_PER_SECOND = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Histogram micros;
    private final long totalNanos;

    /**
     * @param micros not to be changed any more
     */
    Durations(Histogram micros, long totalNanos) {
        this.micros = micros;
        this.totalNanos = totalNanos;
    }

    static Histogram emptyHistogram() {
        Histogram histogram = new Histogram(LONGEST_MICROS, SIGNIFICANT_DIGITS);
        histogram.setAutoResize(false);
        return histogram;
    }

    public long count() {
        return micros.getTotalCount();
    }

    /** The sum of all lengths. */
    public double totalSeconds() {
        return totalNanos / NANOS_PER_SECOND;
    }

    /** 0 if there is none. */
    public double meanMillis() {
        return count() == 0 ? 0 : totalNanos / (NANOS_PER_SECOND / 1000) / count();
    }

    /**
     * The length that this percentage did not exceed; 0 if there is none.
     *
     * @param percentile 0 to 100
     */
    public double percentileMillis(double percentile) {
        return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    /** The longest of them; 0 if there is none. */
    public double maxMillis() {
        return micros.getMaxValue() / MICROS_PER_MILLI;
    }

    /** How many did not take longer than so many seconds, or 1 % more. */
    public long countUpTo(double seconds) {
        long bound = Math.min(LONGEST_MICROS, (long) (seconds * MICROS_PER_SECOND));
        return count() == 0 ? 0 : micros.getCountBetweenValues(0, bound);
    }

    Durations plus(Durations other) {
        if (count() == 0) {
            return other;
        }
        if (other.count() == 0) {
            return this;
        }
        Histogram sum = micros.copy();
        sum.add(other.micros);
        return new Durations(sum, totalNanos + other.totalNanos);
    }

    /**
     * @param earlier this distribution at an earlier time, or at the same
     */
    Durations minus(Durations earlier) {
        if (earlier.count() == 0) {
            return this;
        }
        if (earlier.count() == count()) {
            return NONE;
        }
        Histogram difference = micros.copy();
        difference.subtract(earlier.micros);
        return new Durations(difference, totalNanos - earlier.totalNanos);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Durations that
                && totalNanos == that.totalNanos
                && micros.equals(that.micros);
    }

    @Override
    public int hashCode() {
        return Objects.hash(totalNanos, count());
    }

    @Override
    public String toString() {
        return count() + " of " + totalNanos + " ns altogether";
    }
}

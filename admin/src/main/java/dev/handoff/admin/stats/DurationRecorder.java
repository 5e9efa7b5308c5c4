package dev.handoff.admin.stats;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A distribution that one loop writes. Belongs to that loop's thread.
 *
 * <p>There are three for each pool, and several copies are kept. So what is empty takes no memory,
 * and what has not changed is copied once.
 */
final class DurationRecorder {
    private @Nullable Histogram micros;
    private long totalNanos;

    /** The last copy; null if there has been more since. */
    private @Nullable Durations copy = Durations.NONE;

    void record(long nanos) {
        Histogram recorded = micros;
        if (recorded == null) {
            recorded = Durations.emptyHistogram();
            micros = recorded;
        }
        long length = Math.max(0, nanos);
        totalNanos += length;
        copy = null;
        recorded.recordValue(
                Math.min(TimeUnit.NANOSECONDS.toMicros(length), Durations.LONGEST_MICROS));
    }

    /** The distribution as it is now. */
    Durations copy() {
        Durations now = copy;
        if (now == null) {
            now = micros == null ? Durations.NONE : new Durations(micros.copy(), totalNanos);
            copy = now;
        }
        return now;
    }
}

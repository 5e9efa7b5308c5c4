package dev.handoff.admin.stats;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** A distribution that one loop writes. Belongs to that loop's thread. */
final class DurationRecorder {
    private final Histogram micros = Durations.emptyHistogram();
    private long totalNanos;

    void record(long nanos) {
        long length = Math.max(0, nanos);
        totalNanos += length;
        micros.recordValue(
                Math.min(TimeUnit.NANOSECONDS.toMicros(length), Durations.LONGEST_MICROS));
    }

    /** A copy of the distribution now. */
    Durations copy() {
        return new Durations(micros.copy(), totalNanos);
    }
}

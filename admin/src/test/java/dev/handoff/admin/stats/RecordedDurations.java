package dev.handoff.admin.stats;

import java.util.concurrent.TimeUnit;

/** Distributions of known lengths, for tests of those who show them. */
public final class RecordedDurations {
    private RecordedDurations() {}

    public static Durations ofMillis(long... lengths) {
        DurationRecorder recorder = new DurationRecorder();
        for (long length : lengths) {
            recorder.record(TimeUnit.MILLISECONDS.toNanos(length));
        }
        return recorder.copy();
    }
}

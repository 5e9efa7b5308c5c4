package dev.handoff.launcher.check;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that was found.
 *
 * @param title what the user calls the worker
 * @param measured null where it was not, or no request was answered
 */
record Report(String title, List<Result> results, @Nullable Measurement measured, Duration time) {
    Report {
        results = List.copyOf(results);
    }
}

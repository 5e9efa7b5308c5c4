package dev.handoff.launcher.logging;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One entry of the log. */
public record LogEntry(
        Instant time, Level level, String logger, LogMessage message, @Nullable Throwable thrown) {

    /** The stack trace of what was thrown, without a line end; null if nothing was. */
    @Nullable String stack() {
        if (thrown == null) {
            return null;
        }
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return trace.toString().stripTrailing();
    }
}

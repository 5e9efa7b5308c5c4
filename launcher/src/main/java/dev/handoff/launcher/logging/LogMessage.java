package dev.handoff.launcher.logging;

import org.jspecify.annotations.Nullable;

/**
 * A message for the log, and what it is about. Give it to {@link System.Logger#log(
 * System.Logger.Level, Object)}: the JSON log has keys for what it is about; the text says it as
 * well.
 */
public record LogMessage(
        String text, @Nullable String pool, @Nullable String worker, @Nullable String requestId) {

    public static LogMessage plain(String text) {
        return new LogMessage(text, null, null, null);
    }

    public static LogMessage ofPool(String pool, String text) {
        return new LogMessage(text, pool, null, null);
    }

    public static LogMessage ofWorker(String pool, String worker, String text) {
        return new LogMessage(text, pool, worker, null);
    }

    /**
     * @param requestId null if the request has none
     */
    public static LogMessage ofRequest(@Nullable String requestId, String text) {
        return new LogMessage(text, null, null, requestId);
    }

    @Override
    public String toString() {
        return text;
    }
}

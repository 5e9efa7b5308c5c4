package dev.handoff.launcher.logging;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** Lines for programs. The key {@code type} tells the kinds of lines apart. */
public final class JsonLines implements LineFormat {
    /** RFC 3339, with milliseconds. */
    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

    @Override
    public String line(LogEntry entry) {
        LogMessage message = entry.message();
        return begin(entry.time(), "log")
                .put("level", entry.level().getName().toLowerCase(Locale.ROOT))
                .put("logger", entry.logger())
                .put("pool", message.pool())
                .put("worker", message.worker())
                .put("requestId", message.requestId())
                .put("message", message.text())
                .put("stack", entry.stack())
                .end()
                .toString();
    }

    @Override
    public String line(WorkerOutput output) {
        return begin(output.time(), "output")
                .put("pool", output.pool())
                .put("worker", output.worker())
                .put("stream", output.stream())
                .put("message", output.text())
                .end()
                .toString();
    }

    private static JsonLine begin(Instant time, String type) {
        return new JsonLine().begin().put("time", TIME.format(time)).put("type", type);
    }
}

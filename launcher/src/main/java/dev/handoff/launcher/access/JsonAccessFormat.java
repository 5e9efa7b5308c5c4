package dev.handoff.launcher.access;

import dev.handoff.launcher.logging.JsonLine;
import org.jspecify.annotations.Nullable;

/** One JSON object a line. Leaves out what is not known. */
final class JsonAccessFormat implements AccessFormat {
    private final JsonLine line = new JsonLine();
    private final EntryTime time = EntryTime.rfc3339();

    @Override
    public void append(AccessEntry entry, StringBuilder lines) {
        line.begin()
                .put("time", time.format(entry.epochMillis()))
                .put("type", "access")
                .put("client", entry.client())
                .put("method", knownOrNull(entry.method()))
                .put("target", knownOrNull(entry.target()))
                .put("version", entry.version());
        if (entry.status() != AccessEntry.NONE) {
            line.put("status", entry.status());
        }
        line.put("bodyBytes", entry.bodyBytes());
        putMillis("durationMillis", entry.durationNanos());
        putMillis("waitMillis", entry.waitNanos());
        putMillis("handlerMillis", entry.handlerNanos());
        line.put("pool", entry.pool())
                .put("worker", entry.worker())
                .put("requestId", entry.requestId())
                .put("traceId", entry.traceId())
                .put("userAgent", entry.userAgent())
                .put("referer", entry.referer())
                .put("error", entry.error());
        lines.append(line.end()).append('\n');
    }

    private void putMillis(String key, long nanos) {
        if (nanos != AccessEntry.UNKNOWN) {
            line.putMillis(key, nanos);
        }
    }

    private static @Nullable String knownOrNull(String text) {
        return text.isEmpty() ? null : text;
    }
}

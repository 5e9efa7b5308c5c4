package dev.handoff.launcher.log;

import java.time.ZoneId;

/** For whom the log is written. */
public enum LogFormat {
    /** For people. */
    TEXT,
    /** For programs: each line is one JSON object. */
    JSON;

    // Each is made for its first line, since time zones and formatters take a part of every start.
    private static final class Text {
        static final LineFormat LINES = new TextLines(ZoneId.systemDefault());
    }

    private static final class Json {
        static final LineFormat LINES = new JsonLines();
    }

    /** Without a line end behind it; as text it may have several lines. */
    public String line(LogEntry entry) {
        return lines().line(entry);
    }

    /** One line, without its end. */
    public String line(WorkerOutput output) {
        return lines().line(output);
    }

    private LineFormat lines() {
        return switch (this) {
            case TEXT -> Text.LINES;
            case JSON -> Json.LINES;
        };
    }
}

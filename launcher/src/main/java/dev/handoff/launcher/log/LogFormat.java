package dev.handoff.launcher.log;

import java.time.ZoneId;

/** For whom the log is written. */
public enum LogFormat {
    /** For people. */
    TEXT,
    /** For programs: each line is one JSON object. */
    JSON;

    private static final LineFormat TEXT_LINES = new TextLines(ZoneId.systemDefault());
    private static final LineFormat JSON_LINES = new JsonLines();

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
            case TEXT -> TEXT_LINES;
            case JSON -> JSON_LINES;
        };
    }
}

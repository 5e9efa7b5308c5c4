package dev.handoff.launcher.logging;

import dev.handoff.launcher.config.LogFormat;
import java.time.ZoneId;

/**
 * The format of lines for each {@link LogFormat}. Each is created for its first line, since time
 * zones and formatters slow every start down.
 */
final class LineFormats {
    private static final class Text {
        static final LineFormat LINES = new TextLines(ZoneId.systemDefault());
    }

    private static final class Json {
        static final LineFormat LINES = new JsonLines();
    }

    private LineFormats() {}

    static LineFormat of(LogFormat format) {
        return switch (format) {
            case TEXT -> Text.LINES;
            case JSON -> Json.LINES;
        };
    }
}

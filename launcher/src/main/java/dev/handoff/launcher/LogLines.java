package dev.handoff.launcher;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Makes a line on stderr of what is told to a {@link System.Logger}: the time, the level, the
 * message. Found by the platform through {@code META-INF/services}.
 */
public final class LogLines extends System.LoggerFinder {
    private static final LogWriter WRITER = new LogWriter(Console.STDERR::print);
    private static final String OURS = "dev.handoff.";

    /** What the platform itself logs is noise below this. */
    private static final Level OTHERS_LEVEL = Level.WARNING;

    private static volatile Level level = Level.INFO;

    /** For the platform, which looks for a finder with this constructor. */
    public LogLines() {}

    /** Chooses the least level of our own lines. */
    static void setLevel(Level least) {
        level = least;
    }

    /** Waits a moment until all lines so far are written. */
    static void flush() {
        WRITER.flush(1000);
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new LineLogger(name);
    }

    /** One entry of the log: a line, and what more there is, indented. */
    static String format(
            LocalTime time, Level severity, String message, @Nullable Throwable thrown) {
        int milli = time.getNano() / 1_000_000;
        StringBuilder line = new StringBuilder();
        line.append(twoDigits(time.getHour())).append(':');
        line.append(twoDigits(time.getMinute())).append(':');
        line.append(twoDigits(time.getSecond())).append('.');
        line.append(Integer.toString(1000 + milli), 1, 4).append(' ');
        String name = severity == Level.WARNING ? "WARN" : severity.getName();
        line.append(name).append(" ".repeat(Math.max(1, 6 - name.length())));
        appendSafely(message, line);
        if (thrown != null) {
            StringWriter trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace));
            line.append('\n').append("    ");
            appendSafely(trace.toString().stripTrailing(), line);
        }
        return line.toString();
    }

    private static String twoDigits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }

    /**
     * Much of it comes from clients and workers. So further lines are indented, lest they pass for
     * entries, and control characters are shown, not sent to a terminal.
     */
    private static void appendSafely(String text, StringBuilder line) {
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next == '\n') {
                line.append("\n    ");
            } else if (Character.isISOControl(next) && next != '\t') {
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) next));
            } else {
                line.append(next);
            }
        }
    }

    private record LineLogger(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level asked) {
            Level least = name.startsWith(OURS) ? level : OTHERS_LEVEL;
            return least != Level.OFF && asked.getSeverity() >= least.getSeverity();
        }

        @Override
        public void log(
                Level asked,
                @Nullable ResourceBundle bundle,
                @Nullable String message,
                @Nullable Throwable thrown) {
            if (isLoggable(asked)) {
                WRITER.write(
                        format(
                                LocalTime.now(ZoneId.systemDefault()),
                                asked,
                                String.valueOf(message),
                                thrown));
            }
        }

        @Override
        public void log(
                Level asked,
                @Nullable ResourceBundle bundle,
                @Nullable String format,
                @Nullable Object @Nullable ... parameters) {
            boolean plain = format == null || parameters == null || parameters.length == 0;
            log(
                    asked,
                    bundle,
                    plain ? format : MessageFormat.format(format, parameters),
                    (Throwable) null);
        }
    }
}

package dev.handoff.launcher.logging;

import dev.handoff.launcher.config.LogFormat;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.time.Instant;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Writes the messages of every {@link System.Logger} to stderr, in the format that was chosen for
 * the log. The platform finds it through {@code META-INF/services}.
 */
public final class LogLines extends System.LoggerFinder {
    /** For the log, and for what workers write to their stderr. */
    private static final LogWriter WRITER =
            new LogWriter(Console.STDERR::print, lost -> Console.STDERR.print(lost(lost)));

    /** For what workers write to their stdout. */
    private static final LogWriter STDOUT_WRITER =
            new LogWriter(Console.STDOUT::print, lost -> WRITER.write(lost(lost)));

    private static final String OURS = "dev.handoff.";

    /** The least level of what the platform itself logs; below it is noise. */
    private static final Level OTHERS_LEVEL = Level.WARNING;

    private static volatile Level level = Level.INFO;
    private static volatile LogFormat format = LogFormat.TEXT;

    /** For the platform, which looks for a finder with this constructor. */
    public LogLines() {}

    /** Chooses the least level of our own lines. */
    public static void setLevel(Level least) {
        level = least;
    }

    /** Chooses the format of the lines from now on, also of those of workers. */
    public static void setFormat(LogFormat chosen) {
        format = chosen;
    }

    /** Waits a moment until all lines so far are written. */
    public static void flush() {
        STDOUT_WRITER.flush(1000);
        WRITER.flush(1000);
    }

    /** How many lines have been dropped since the start, because nobody read fast enough. */
    public static long droppedLines() {
        return WRITER.droppedLines() + STDOUT_WRITER.droppedLines();
    }

    /** What to print when the server is ready: plain text, or a line of the JSON log. */
    public static String announcement(String logger, String text) {
        return format == LogFormat.TEXT ? text : line(logger, Level.INFO, text, null);
    }

    /** Prints a line that a worker wrote. Waits for a slow reader, but not for one that stopped. */
    static void print(WorkerOutput output) {
        LogWriter writer = output.stream().equals("stdout") ? STDOUT_WRITER : WRITER;
        writer.writeOfWorker(LineFormats.of(format).line(output));
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new LineLogger(name);
    }

    private static String lost(long lines) {
        return line(
                LogLines.class.getName(),
                Level.WARNING,
                lines + " log lines were dropped: the log was not read fast enough",
                null);
    }

    /** A line of the log, for callers that print it without the writer. */
    public static String line(
            String logger, Level severity, String text, @Nullable Throwable thrown) {
        return LineFormats.of(format)
                .line(
                        new LogEntry(
                                Instant.now(), severity, logger, LogMessage.plain(text), thrown));
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
        public void log(Level asked, @Nullable Object message) {
            write(
                    asked,
                    message instanceof LogMessage told
                            ? told
                            : LogMessage.plain(String.valueOf(message)),
                    null);
        }

        @Override
        public void log(
                Level asked,
                @Nullable ResourceBundle bundle,
                @Nullable String message,
                @Nullable Throwable thrown) {
            write(asked, LogMessage.plain(String.valueOf(message)), thrown);
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

        private void write(Level asked, LogMessage message, @Nullable Throwable thrown) {
            if (isLoggable(asked)) {
                WRITER.write(
                        LineFormats.of(format)
                                .line(new LogEntry(Instant.now(), asked, name, message, thrown)));
            }
        }
    }
}

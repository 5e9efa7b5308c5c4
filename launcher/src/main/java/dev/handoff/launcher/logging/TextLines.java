package dev.handoff.launcher.logging;

import dev.handoff.process.protocol.SafeText;
import java.lang.System.Logger.Level;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Locale;

/** Lines for people: the time, the level and the message; further lines stand below, indented. */
public final class TextLines implements LineFormat {
    private static final char ESCAPE = '\33';
    private static final String USUAL_COLOURS = ESCAPE + "[0m";
    private static final String SHORT = ESCAPE + "[m";

    private final ZoneId zone;

    public TextLines(ZoneId zone) {
        this.zone = zone;
    }

    @Override
    public String line(LogEntry entry) {
        LocalTime time = LocalTime.ofInstant(entry.time(), zone);
        int milli = time.getNano() / 1_000_000;
        StringBuilder line = new StringBuilder();
        line.append(twoDigits(time.getHour())).append(':');
        line.append(twoDigits(time.getMinute())).append(':');
        line.append(twoDigits(time.getSecond())).append('.');
        line.append(Integer.toString(1000 + milli), 1, 4).append(' ');
        String name = entry.level() == Level.WARNING ? "WARN" : entry.level().getName();
        line.append(name).append(" ".repeat(Math.max(1, 6 - name.length())));
        appendSafely(entry.message().text(), line);
        String stack = entry.stack();
        if (stack != null) {
            line.append("\n    ");
            appendSafely(stack, line);
        }
        return line.toString();
    }

    /**
     * Keeps colours, which developers' tools write, and escapes all else that steers a terminal. A
     * line's colours end with it, so that it hides none of those after it.
     */
    @Override
    public String line(WorkerOutput output) {
        String text = output.text();
        StringBuilder line = new StringBuilder(text.length() + 32);
        line.append(output.worker()).append(" | ");
        boolean isColoured = false;
        int at = 0;
        while (at < text.length()) {
            int end = endOfColour(text, at);
            if (end > at) {
                String colours = text.substring(at, end);
                line.append(colours);
                isColoured = !colours.equals(USUAL_COLOURS) && !colours.equals(SHORT);
                at = end;
            } else {
                at = appendShown(text, at, line);
            }
        }
        if (isColoured) {
            line.append(USUAL_COLOURS);
        }
        return line.toString();
    }

    /**
     * The index behind the sequence "ESC [ digits and semicolons m" that begins at {@code from};
     * {@code from} itself if none begins there.
     */
    private static int endOfColour(String text, int from) {
        if (text.charAt(from) != ESCAPE || !text.startsWith("[", from + 1)) {
            return from;
        }
        int at = from + 2;
        while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == ';')) {
            at++;
        }
        return text.startsWith("m", at) ? at + 1 : from;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static String twoDigits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }

    /**
     * Appends text that may come from clients and workers: it indents further lines, so that none
     * passes for an entry, and escapes what would steer a terminal.
     */
    private static void appendSafely(String text, StringBuilder line) {
        int at = 0;
        while (at < text.length()) {
            if (text.charAt(at) == '\n') {
                line.append("\n    ");
                at++;
            } else {
                at = appendShown(text, at, line);
            }
        }
    }

    /** Returns the index behind the character. */
    private static int appendShown(String text, int from, StringBuilder line) {
        int character = text.codePointAt(from);
        int end = from + Character.charCount(character);
        if (!SafeText.isPrintable(character) && character != '\t') {
            for (int i = from; i < end; i++) {
                line.append(String.format(Locale.ROOT, "\\u%04x", (int) text.charAt(i)));
            }
        } else {
            line.append(text, from, end);
        }
        return end;
    }
}

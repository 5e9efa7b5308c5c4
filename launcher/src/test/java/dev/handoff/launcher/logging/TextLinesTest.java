package dev.handoff.launcher.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TextLinesTest {
    private static final Instant TIME = Instant.parse("1994-11-06T09:05:03.042Z");

    private final TextLines lines = new TextLines(ZoneOffset.UTC);

    @Test
    void beginsWithTimeAndLevel() {
        assertEquals("09:05:03.042 INFO  it is on", entry(Level.INFO, "it is on"));
        assertEquals("09:05:03.042 WARN  careful", entry(Level.WARNING, "careful"));
        assertEquals("09:05:03.042 ERROR broken", entry(Level.ERROR, "broken"));
    }

    @Test
    void letsNobodyForgeAnEntry() {
        assertEquals(
                "09:05:03.042 INFO  a\\u000d\n    09:05:03.042 INFO  b",
                entry(Level.INFO, "a\r\n09:05:03.042 INFO  b"));
    }

    @Test
    void sendsNoControlCharactersToATerminal() {
        assertEquals(
                "09:05:03.042 INFO  \\u001b[2J\\u0000\\u009b", entry(Level.INFO, "\33[2J\0\u009b"));
        assertEquals("w-1 | \\u001b[2J\t\\u000d\\u009b", output("\33[2J\t\r\u009b"));
    }

    @Test
    void turnsNoDirectionOfWriting() {
        assertEquals("09:05:03.042 INFO  a\\u202eb", entry(Level.INFO, "a\u202eb"));
        assertEquals("w-1 | a\\u202eb\\u2028", output("a\u202eb\u2028"));
    }

    @Test
    void leavesLettersOfAllLanguagesAndPicturesAlone() {
        assertEquals("w-1 | \u00e9 \u4f60 \ud83d\ude00", output("\u00e9 \u4f60 \ud83d\ude00"));
    }

    /** Else a worker could hide the lines after it, or pass for another. */
    @Test
    void aLinesColoursEndWithIt() {
        assertEquals("w-1 | \33[8m\33[0m", output("\33[8m"));
        assertEquals("w-1 | \33[0m\33[30;40mx\33[0m", output("\33[0m\33[30;40mx"));
    }

    @Test
    void leavesAWorkerItsColours() {
        assertEquals("w-1 | \33[1;31mred\33[m", output("\33[1;31mred\33[m"));
        assertEquals("w-1 | \33[31mred\33[0m.", output("\33[31mred\33[0m."));
        assertEquals("w-1 | \\u001b[1;31", output("\33[1;31"));
        assertEquals("w-1 | \\u001b", output("\33"));
    }

    @Test
    void indentsTheStackTrace() {
        String entry = entry(Level.ERROR, "a bug", new IllegalStateException("why"));
        assertTrue(entry.startsWith("09:05:03.042 ERROR a bug\n    java.lang.Illegal"), entry);
        assertTrue(entry.lines().skip(1).allMatch(line -> line.startsWith("    ")), entry);
    }

    private String entry(Level level, String message) {
        return entry(level, message, null);
    }

    private String entry(Level level, String message, @Nullable Throwable thrown) {
        return lines.line(new LogEntry(TIME, level, "a.B", LogMessage.plain(message), thrown));
    }

    private String output(String text) {
        return lines.line(new WorkerOutput(TIME, "w", "w-1", "stdout", text));
    }
}

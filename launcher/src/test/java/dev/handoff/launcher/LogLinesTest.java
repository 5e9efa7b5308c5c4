package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.System.Logger.Level;
import java.time.LocalTime;
import org.junit.jupiter.api.Test;

class LogLinesTest {
    private static final LocalTime TIME = LocalTime.of(9, 5, 3, 42_000_000);

    @Test
    void beginsWithTimeAndLevel() {
        assertEquals("09:05:03.042 INFO  it is on", format(Level.INFO, "it is on"));
        assertEquals("09:05:03.042 WARN  careful", format(Level.WARNING, "careful"));
        assertEquals("09:05:03.042 ERROR broken", format(Level.ERROR, "broken"));
    }

    @Test
    void letsNobodyForgeAnEntry() {
        assertEquals(
                "09:05:03.042 INFO  a\\u000d\n    09:05:03.042 INFO  b",
                format(Level.INFO, "a\r\n09:05:03.042 INFO  b"));
    }

    @Test
    void sendsNoControlCharactersToATerminal() {
        assertEquals(
                "09:05:03.042 INFO  \\u001b[2J\\u0000\\u009b",
                format(Level.INFO, "\33[2J\0\u009b"));
    }

    @Test
    void indentsTheStackTrace() {
        String entry =
                LogLines.format(TIME, Level.ERROR, "a bug", new IllegalStateException("why"));
        assertTrue(entry.startsWith("09:05:03.042 ERROR a bug\n    java.lang.Illegal"), entry);
        assertTrue(entry.lines().skip(1).allMatch(line -> line.startsWith("    ")), entry);
    }

    @Test
    void isWhatThePlatformFinds() {
        assertInstanceOf(LogLines.class, System.LoggerFinder.getLoggerFinder());
    }

    private static String format(Level level, String message) {
        return LogLines.format(TIME, level, message, null);
    }
}

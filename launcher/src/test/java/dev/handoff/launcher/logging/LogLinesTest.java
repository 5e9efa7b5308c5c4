package dev.handoff.launcher.logging;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.junit.jupiter.api.Test;

class LogLinesTest {
    @Test
    void isWhatThePlatformFinds() {
        assertInstanceOf(LogLines.class, System.LoggerFinder.getLoggerFinder());
    }
}

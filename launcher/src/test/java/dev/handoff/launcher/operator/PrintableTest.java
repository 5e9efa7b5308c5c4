package dev.handoff.launcher.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"\u001b", "\u009b", "\u0007", "\n", "\u202e", "\u2028", "\u200f", "\ud800"})
    void letsNothingSteerTheTerminal(String character) {
        assertEquals("a\ufffdb", Printable.of("a" + character + "b"));
    }

    @Test
    void keepsWhatCanBeRead() {
        assertEquals("/größe?q=漢字 👍", Printable.of("/größe?q=漢字 👍"));
    }

    @Test
    void keepsTheLinesOfAText() {
        assertEquals("a: 1\nb: \ufffd[2J", Printable.lines("a: 1\nb: \u001b[2J\n"));
    }
}

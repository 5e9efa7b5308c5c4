package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafeTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\0",
                "\t",
                "\n",
                "\u0007",
                "\u001b",
                "\u001f",
                "\u007f", // C0 and DEL
                "\u0080",
                "\u0085",
                "\u009b",
                "\u009f", // C1
                "\u061c",
                "\u200e",
                "\u200f",
                "\u202a",
                "\u202e",
                "\u2066",
                "\u2069", // directions
                "\u2028",
                "\u2029", // ends of lines and paragraphs
                "\u00ad",
                "\u200b",
                "\u200d",
                "\u2060",
                "\ufeff",
                "\udb40\udc41",
                "\u034f",
                "\u115f",
                "\u1160",
                "\u17b4",
                "\u180b",
                "\u3164",
                "\uffa0",
                "\udb40\udd00", // no width
                "\ud800",
                "\uffff" // none at all
            })
    void letsNothingSteerTheTerminal(String character) {
        assertEquals("a\ufffdb", SafeText.of("a" + character + "b"));
    }

    @Test
    void keepsWhatCanBeRead() {
        assertEquals("/größe~?q=漢字\u00a0👍⚠\ufe0f", SafeText.of("/größe~?q=漢字\u00a0👍⚠\ufe0f"));
    }

    @Test
    void keepsTheLinesOfAText() {
        assertEquals("a: 1\nb: \ufffd[2J", SafeText.lines("a: 1\nb: \u001b[2J\n"));
    }

    @Test
    void leavesAMessageThatFits() {
        for (String message :
                List.of(
                        "",
                        "x".repeat(SafeText.MOST_CHARACTERS),
                        "x" + "\nx".repeat(SafeText.MOST_LINES - 1))) {
            assertEquals(message, SafeText.beginning(message));
        }
    }

    @Test
    void cutsAMessageThatIsTooLong() {
        String most = "x".repeat(SafeText.MOST_CHARACTERS);
        assertEquals(most + "… (1 more characters)", SafeText.beginning(most + "y"));
        String whole = "x".repeat(SafeText.MOST_CHARACTERS - 1);
        assertEquals(whole + "… (2 more characters)", SafeText.beginning(whole + "\ud83d\ude00"));
    }

    @Test
    void cutsAMessageOfTooManyLines() {
        String most = "x" + "\nx".repeat(SafeText.MOST_LINES - 1);
        assertEquals(most + "… (2 more characters)", SafeText.beginning(most + "\ny"));
    }
}

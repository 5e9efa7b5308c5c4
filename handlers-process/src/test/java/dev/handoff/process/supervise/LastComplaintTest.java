package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class LastComplaintTest {
    @Test
    void isTheExceptionBelowPythonsTraceback() {
        assertWords(
                "ModuleNotFoundError: No module named 'app'",
                """
                Traceback (most recent call last):
                  File "main.py", line 1, in <module>
                    import app
                ModuleNotFoundError: No module named 'app'
                """);
    }

    @Test
    void isTheErrorAboveNodesStackAndVersion() {
        assertWords(
                "Error: no database",
                """
                file:///app.mjs:3
                throw new Error("no database");
                      ^

                Error: no database
                    at file:///app.mjs:3:7
                    at node:internal/main {
                }

                Node.js v20.20.2
                """);
    }

    @Test
    void isTheLastLineWhereAllAreIndented() {
        assertWords("so it ends", "  it begins\n  so it ends\n\n");
    }

    @Test
    void isNothingOfAProcessThatSaidNothing() {
        assertEquals("", LastComplaint.of(List.of()));
        assertWords("", "\n  \n");
    }

    private static void assertWords(String words, String stderr) {
        assertEquals(words, LastComplaint.of(stderr.lines().toList()));
    }
}

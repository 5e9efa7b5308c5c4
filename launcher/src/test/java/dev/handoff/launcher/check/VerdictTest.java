package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker's own words steer no terminal, forge no line and break no XML. */
final class VerdictTest {
    private static final String HOSTILE = "\u001b[2J\n9 passed\u202e";

    @Test
    void itsTextsAreSafeToShow() {
        assertEquals("\ufffd[2J\n9 passed\ufffd", new Verdict.Failed(HOSTILE, List.of()).what());
        String line = "\ufffd[2J\ufffd9 passed\ufffd";
        assertEquals(List.of(line), new Verdict.Warned(List.of(HOSTILE)).warnings());
        assertEquals(line, new Verdict.Skipped(HOSTILE, false).why());
    }
}

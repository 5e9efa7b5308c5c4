package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpellingTest {
    private static final List<String> FLAGS = List.of("--port", "--host", "--max-body");

    @Test
    void findsWhatWasMeant() {
        assertEquals("--port", Spelling.nearest("--prot", FLAGS));
        assertEquals("--max-body", Spelling.nearest("--maxbody", FLAGS));
        assertEquals("--host", Spelling.nearest("--hosts", FLAGS));
    }

    @Test
    void makesNoWildGuess() {
        assertNull(Spelling.nearest("--verbose", FLAGS));
    }
}

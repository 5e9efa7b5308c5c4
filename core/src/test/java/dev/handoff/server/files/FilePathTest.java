package dev.handoff.server.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class FilePathTest {
    @Test
    void decodesNamesButNeitherSlashesNorDots() {
        assertEquals(
                new FilePath(List.of("a b", "\u00e9.txt"), false),
                FilePath.of("/x/a%20b/%C3%A9.txt?q", "/x"));
        assertNull(FilePath.of("/a%2fb", ""));
        assertNull(FilePath.of("/%2e%2e/a", ""));
    }

    @Test
    void noFileIsSoDeep() {
        assertNotNull(FilePath.of("/a".repeat(FilePath.MOST_NAMES), ""));
        assertNull(FilePath.of("/a".repeat(FilePath.MOST_NAMES + 1), ""));
    }
}

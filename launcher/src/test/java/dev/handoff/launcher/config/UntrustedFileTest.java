package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandlerFileTest {
    /** Far above what reading may take: it stands for never. */
    private static final Duration NEVER = Duration.ofSeconds(60);

    @TempDir private Path folder;

    /** The one in whose place it was put has been looked at by then. */
    @Test
    void aPipeOfAnotherUsersKeepsNobodyWaiting() throws Exception {
        openToOthers();
        Path pipe = folder.resolve("app.py");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertTimeoutPreemptively(
                NEVER, () -> assertThrows(IOException.class, () -> HandlerFile.beginning(pipe)));
    }

    @Test
    void readsTheSameWhoeverMayReplaceIt() throws Exception {
        Path file = Files.writeString(folder.resolve("app.py"), "a" + "\n".repeat(300_000) + "b");
        String ours = HandlerFile.beginning(file);
        openToOthers();
        assertEquals(ours.strip(), HandlerFile.beginning(file).strip());
        assertEquals("a", ours.strip());
    }

    private void openToOthers() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
}

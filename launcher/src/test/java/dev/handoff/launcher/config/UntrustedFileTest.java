package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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

class UntrustedFileTest {
    /** Far above what reading may take: it stands for never. */
    private static final Duration NEVER = Duration.ofSeconds(60);

    @TempDir private Path folder;

    /** The one in whose place it was put has been looked at by then. */
    @Test
    void aPipeOfAnotherUsersKeepsNobodyWaiting() throws Exception {
        openToOthers();
        Path pipe = folder.resolve("app.py");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        IOException failure =
                assertTimeoutPreemptively(
                        NEVER,
                        () ->
                                assertThrows(
                                        IOException.class,
                                        () -> UntrustedFile.beginning(pipe, 10)));
        assertEquals(pipe + " is no regular file", failure.getMessage());
    }

    @Test
    void readsTheSameWhoeverMayReplaceIt() throws Exception {
        Path file = Files.writeString(folder.resolve("app.py"), "a" + "\n".repeat(300_000) + "b");
        byte[] ours = UntrustedFile.beginning(file, 1000);
        openToOthers();
        assertArrayEquals(ours, UntrustedFile.beginning(file, 1000));
        assertEquals(1000, ours.length);
    }

    @Test
    void readsWhereALinkLeads() throws Exception {
        openToOthers();
        Path file = Files.writeString(folder.resolve("app.py"), "a");
        Path link = Files.createSymbolicLink(folder.resolve("link.py"), file);
        assertArrayEquals(new byte[] {'a'}, UntrustedFile.beginning(link, 10));
    }

    private void openToOthers() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
}

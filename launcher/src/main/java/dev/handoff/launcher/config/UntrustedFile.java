package dev.handoff.launcher.config;

import dev.handoff.system.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads files that may belong to another user, such as that of a pool, who may put a named pipe in
 * their place at any moment, also after a look at them: {@link RegularFile}. What nobody else may
 * replace is read in Java's way, which costs a start less.
 */
public final class UntrustedFile {
    private UntrustedFile() {}

    /** Its first bytes, so many at most. */
    public static byte[] beginning(Path file, int mostBytes) throws IOException {
        return mayChange(file)
                ? RegularFile.beginning(file, mostBytes)
                : beginningOfOurs(file, mostBytes);
    }

    private static boolean mayChange(Path file) {
        try {
            return !FolderRights.letNobodyReplace(file);
        } catch (IOException goneMeanwhile) {
            return true;
        }
    }

    private static byte[] beginningOfOurs(Path file, int mostBytes) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(mostBytes);
        }
    }
}

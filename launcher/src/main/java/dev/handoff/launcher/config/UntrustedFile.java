package dev.handoff.launcher.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Reads files of handlers. They may belong to another user, such as that of their pool, who may put
 * a named pipe in their place at any moment, also after a look at them: whoever opens that waits,
 * and a thread that waits so cannot be ended.
 */
final class HandlerFile {
    private static final int READ_BYTES = 256 * 1024;
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private HandlerFile() {}

    /**
     * Its first 256 KiB, of which only ASCII counts.
     *
     * @throws IOException if it cannot be read, or takes too long; the message says so
     */
    static String beginning(Path file) throws IOException {
        return mayChange(file) ? readByProgram(file) : read(file);
    }

    private static boolean mayChange(Path file) {
        try {
            return !FolderRights.letNobodyReplace(file);
        } catch (IOException goneMeanwhile) {
            return true;
        }
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(READ_BYTES), StandardCharsets.ISO_8859_1);
        }
    }

    /** A program that waits can be ended. */
    private static String readByProgram(Path file) throws IOException {
        String place = file.toAbsolutePath().toString();
        List<String> head = List.of("head", "-c", Integer.toString(READ_BYTES), place);
        try {
            return ShortProgram.output(head, LONGEST);
        } catch (IOException failure) {
            throw new IOException(
                    "others may replace it, so 'head' reads it, which failed (%s); did somebody put a pipe there?"
                            .formatted(failure.getMessage()),
                    failure);
        }
    }
}

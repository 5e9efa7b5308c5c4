package dev.handoff.process.supervise;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What Linux tells of a process in {@code /proc/PID/stat}.
 *
 * @param state a letter
 * @param session the process that leads its session
 * @param startTicks when it started, in ticks since the machine did: of two processes that have the
 *     same number one after the other, these differ
 */
record ProcessStatus(char state, long session, long startTicks) {
    /** Letters of processes that have ended, though nobody has asked how. */
    private static final String ENDED = "ZX";

    /** Behind the name: the third field of the file is the first of these. */
    private static final int SESSION = 6 - 3;

    private static final int START = 22 - 3;

    /** Null where it is not told, as on other systems, and where no process has this number. */
    static @Nullable ProcessStatus of(long pid) {
        try {
            return read(pid);
        } catch (IOException notTold) {
            return null;
        }
    }

    /**
     * Null where no process has this number, or none that we may see.
     *
     * @throws FileSystemException if nothing can be said, as there is no descriptor left
     */
    static @Nullable ProcessStatus read(long pid) throws FileSystemException {
        String line;
        try {
            line = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException | AccessDeniedException noProcess) {
            return null;
        } catch (FileSystemException notOpened) {
            throw notOpened;
        } catch (IOException hasJustEnded) {
            return null;
        }
        // The second field is its name, which may have any characters.
        int from = Math.min(line.lastIndexOf(')') + 2, line.length());
        String[] fields = line.substring(from).split(" ", START + 2);
        if (fields.length <= START) {
            return null;
        }
        return new ProcessStatus(
                fields[0].charAt(0),
                Long.parseLong(fields[SESSION]),
                Long.parseLong(fields[START]));
    }

    /** Whether it runs no more, and holds nothing. */
    boolean hasEnded() {
        return ENDED.indexOf(state) >= 0;
    }
}

package dev.handoff.process.supervise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory a process holds, where the system tells it in a file: on Linux. Any thread. */
public final class ResidentMemory {
    private static final String FIELD = "VmRSS:";
    private static final int BYTES_PER_UNIT = 1024;

    private ResidentMemory() {}

    /** Whether this system tells it. */
    public static boolean isKnown() {
        return bytes(ProcessHandle.current().pid()) > 0;
    }

    /** The memory of one process, without its children; 0 if it is not known, or has ended. */
    static long bytes(long pid) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
                if (line.startsWith(FIELD)) {
                    String value = line.substring(FIELD.length()).strip();
                    return Long.parseLong(value.substring(0, value.indexOf(' '))) * BYTES_PER_UNIT;
                }
            }
        } catch (IOException | RuntimeException notTold) {
            // No such process, no such file, or a file of some other form.
        }
        return 0;
    }
}

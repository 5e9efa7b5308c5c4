package dev.handoff.launcher.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that {@code mkfifo} makes: who opens it waits until somebody opens its other end. */
public final class NamedPipe {
    private static final int TYPE = 0170000;
    private static final int PIPE = 0010000;

    private NamedPipe() {}

    /** False for what is no file, and for pipes that the process has, as {@code /dev/stdout}. */
    public static boolean isOne(Path file) {
        try {
            // What the process has leads to the name of no file.
            Path real = file.toRealPath();
            return real.getFileSystem().supportedFileAttributeViews().contains("unix")
                    && ((int) Files.getAttribute(real, "unix:mode") & TYPE) == PIPE;
        } catch (IOException none) {
            return false;
        }
    }
}

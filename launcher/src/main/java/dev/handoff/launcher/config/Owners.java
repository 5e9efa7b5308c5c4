package dev.handoff.launcher.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Whose a file is, where the system tells who we are: on Linux. */
final class Owners {
    private static final Path SELF = Path.of("/proc/self");

    private Owners() {}

    /**
     * Whether a file belongs neither to the user of this process nor to root. Of a link it is the
     * link that counts.
     */
    static boolean isAStrangers(Path file) throws IOException {
        if (!Files.exists(SELF)) {
            return false;
        }
        Object owner = of(file);
        return !owner.equals(ofProcess(SELF)) && !owner.equals(0);
    }

    /** Of where the name leads: {@code /proc/self} by itself is a link, and root's. */
    static Object ofProcess(Path process) throws IOException {
        return Files.getAttribute(process, "unix:uid");
    }

    /** The number of the user. */
    static Object of(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}

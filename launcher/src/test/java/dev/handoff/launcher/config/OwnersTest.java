package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnersTest {
    private static final int NOBODY = 65534;

    @TempDir private Path folder;

    /** As {@code /proc/self}, which is root's, leads to the process, which is its user's. */
    @Test
    void whoseAProcessIsStandsWhereTheLinkLeads() throws Exception {
        assumeTrue(
                Files.getAttribute(folder, "unix:uid").equals(0),
                "only root can give a file to somebody else");
        Path process = Files.createDirectory(folder.resolve("4711"));
        Path self = Files.createSymbolicLink(folder.resolve("self"), process);
        Files.setAttribute(process, "unix:uid", NOBODY);

        assertEquals(NOBODY, Owners.ofProcess(self));
        assertEquals(0, Owners.of(self));
    }
}

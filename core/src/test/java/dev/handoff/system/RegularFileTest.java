package dev.handoff.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class RegularFileTest {
    /** Far above what this may take: it stands for never. */
    private static final Duration NEVER = Duration.ofSeconds(30);

    @TempDir private Path folder;

    /** What the manifest of the launcher exports, the tests do too. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void linuxIsAskedItself() {
        assertTrue(Descriptors.areKnown());
    }

    @Test
    void readsAFile() throws IOException {
        Path file = Files.writeString(folder.resolve("é.txt"), "content");
        try (RegularFile opened = RegularFile.openItself(file)) {
            ByteBuffer read = ByteBuffer.allocate(10);
            assertEquals(7, opened.channel().read(read));
            assertEquals(7, opened.attributes().size());
            assertEquals('c', read.get(0));
        }
        assertEquals("cont", new String(RegularFile.beginning(file, 4), StandardCharsets.US_ASCII));
    }

    @Test
    void opensWhatALinkLeadsToOnlyWhereThatIsAsked() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "content");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertEquals(7, RegularFile.beginning(link, 10).length);
        assertThrows(IOException.class, () -> RegularFile.openItself(link));
    }

    @Test
    void aPipeIsNoFile() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        for (Path each : List.of(pipe, folder, Path.of("/dev/null"))) {
            assertTimeoutPreemptively(
                    NEVER,
                    () -> {
                        assertThrows(ChangingException.class, () -> RegularFile.open(each));
                        assertThrows(ChangingException.class, () -> RegularFile.openItself(each));
                    });
        }
    }

    @Test
    void tellsWhyItCannot() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "content");
        assertThrows(NoSuchFileException.class, () -> RegularFile.open(folder.resolve("b")));
        assertThrows(NoSuchFileException.class, () -> RegularFile.openItself(folder.resolve("b")));
        assertThrows(IOException.class, () -> RegularFile.openItself(file.resolve("c")));
        file.toFile().setReadable(false, false);
        if (!Files.isReadable(file)) { // root may
            assertThrows(AccessDeniedException.class, () -> RegularFile.open(file));
        }
    }

    /** The system counts them, and has no more at some number. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void nothingStaysOpen() throws Exception {
        Path file = Files.writeString(folder.resolve("a"), "content");
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        for (int i = 0; i < 10; i++) {
            RegularFile.open(file).close();
            RegularFile.openItself(file).close();
            assertThrows(ChangingException.class, () -> RegularFile.openItself(pipe));
            try (HeldFolder held = HeldFolders.open(folder)) {
                held.file(Path.of("a")).close();
                assertThrows(NotDirectoryException.class, () -> held.below(Path.of("a")));
            }
        }
        assertEquals(List.of(), openBelow(folder));
    }

    private static List<Path> openBelow(Path folder) throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.map(RegularFileTest::target)
                    .filter(each -> each.startsWith(folder))
                    .toList();
        }
    }

    private static Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException closedMeanwhile) {
            return Path.of("");
        }
    }

    /** Both ways to hold a folder, of which this system uses one. */
    @Test
    void aFolderStaysTheSameWhateverIsPutInItsPlace() throws IOException {
        Path below = Files.createDirectories(folder.resolve("top/below"));
        Files.writeString(below.resolve("a"), "content");
        Files.createSymbolicLink(below.resolve("link"), folder);
        Path top = folder.resolve("top");
        for (HeldFolder held : List.of(HeldFolders.open(top), StreamFolder.open(top))) {
            try (held;
                    HeldFolder inner = held.below(Path.of("below"))) {
                Path aside = Files.move(below, folder.resolve("aside"));
                Files.createDirectories(below);
                try (RegularFile file = inner.file(Path.of("a"))) {
                    assertEquals(7, file.attributes().size());
                }
                assertTrue(inner.attributes(Path.of("link")).isSymbolicLink());
                assertFalse(inner.attributes(Path.of("a")).isSymbolicLink());
                assertThrows(NotDirectoryException.class, () -> inner.below(Path.of("link")));
                assertThrows(NotDirectoryException.class, () -> inner.below(Path.of("a")));
                assertThrows(NoSuchFileException.class, () -> inner.below(Path.of("none")));
                assertThrows(NoSuchFileException.class, () -> inner.file(Path.of("none")));
                assertThrows(IOException.class, () -> inner.file(Path.of("link")));
                Files.delete(below);
                Files.move(aside, below);
            }
        }
    }
}

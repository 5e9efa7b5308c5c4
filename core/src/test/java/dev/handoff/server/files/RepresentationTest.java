package dev.handoff.server.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a file whose time is unusual, as not all file systems can have it. */
class RepresentationTest {
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.parse("2026-11-28T12:00:00Z"));

    @TempDir private Path folder;

    /** A tag is strong where a change of the file would show in it. */
    @ParameterizedTest
    @CsvSource({
        "2026-11-28T11:59:59Z, false",
        "2026-11-28T11:59:59.000000001Z, true",
        "2026-11-28T12:00:00Z, true",
        "2100-01-01T00:00:00Z, true",
        "2262-04-11T23:47:16Z, true",
        "2400-01-01T00:00:00Z, true",
        "1970-01-01T00:00:00Z, false",
        "1969-12-31T23:59:59Z, false",
        "1600-01-01T00:00:00Z, true",
    })
    void hasAWeakTagWhereAChangeMayNotShow(String modified, boolean weak) throws IOException {
        Path path = Files.write(folder.resolve("a.txt"), new byte[3]);
        try (SeekableByteChannel channel = Files.newByteChannel(path)) {
            FileTime time = FileTime.from(Instant.parse(modified));
            OpenFile file = new OpenFile(channel, new Attributes(time));
            Representation sent = Representation.of(file, "text/plain", null, CLOCK);
            assertEquals(weak, sent.tag().weak());
        }
    }

    private record Attributes(FileTime lastModifiedTime) implements BasicFileAttributes {
        @Override
        public FileTime lastAccessTime() {
            return lastModifiedTime;
        }

        @Override
        public FileTime creationTime() {
            return lastModifiedTime;
        }

        @Override
        public boolean isRegularFile() {
            return true;
        }

        @Override
        public boolean isDirectory() {
            return false;
        }

        @Override
        public boolean isSymbolicLink() {
            return false;
        }

        @Override
        public boolean isOther() {
            return false;
        }

        @Override
        public long size() {
            return 3;
        }

        @Override
        public @Nullable Object fileKey() {
            return null;
        }
    }
}

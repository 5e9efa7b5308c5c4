package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The fuzz targets with the inputs in {@code src/test/fuzz}: seeds, and all that once failed. */
class FuzzCorpusTest {
    private static final Path CORPUS =
            Path.of(System.getProperty("basedir", ""), "src", "test", "fuzz");

    @Test
    void head() throws IOException {
        requireHolds("HeadFuzz", HeadFuzz::fuzzerTestOneInput);
    }

    @Test
    void chunked() throws IOException {
        requireHolds("ChunkedFuzz", ChunkedFuzz::fuzzerTestOneInput);
    }

    @Test
    void requests() throws IOException {
        requireHolds("RequestsFuzz", RequestsFuzz::fuzzerTestOneInput);
    }

    @Test
    void response() throws IOException {
        requireHolds("ResponseFuzz", ResponseFuzz::fuzzerTestOneInput);
    }

    private static void requireHolds(String target, Consumer<byte[]> property) throws IOException {
        try (DirectoryStream<Path> inputs = Files.newDirectoryStream(CORPUS.resolve(target))) {
            int count = 0;
            for (Path input : inputs) {
                requireHolds(input, property);
                count++;
            }
            assertTrue(count > 0, target + " has no inputs");
        }
    }

    private static void requireHolds(Path input, Consumer<byte[]> property) throws IOException {
        byte[] bytes = Files.readAllBytes(input);
        try {
            property.accept(bytes);
        } catch (Throwable failure) {
            throw new AssertionError(input.toString(), failure);
        }
    }
}

package dev.handoff.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The inputs that searches have left in {@code src/test/fuzz} of a module. */
public final class FuzzCorpus {
    private static final Path CORPUS =
            Path.of(System.getProperty("basedir", ""), "src", "test", "fuzz");

    private FuzzCorpus() {}

    /** Tries a fuzz target with each of its inputs; there has to be one. */
    public static void requireHolds(String target, Consumer<byte[]> property) throws IOException {
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

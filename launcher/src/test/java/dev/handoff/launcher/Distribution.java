package dev.handoff.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The application as users unpack it, made of links to what this build has just packed: the start
 * script with a folder of jars and their AOT cache, a Java runtime and the SDKs beside it. From the
 * checkout the script would build it once more.
 */
final class Distribution {
    /** The checkout. */
    static final Path ROOT =
            Path.of(System.getProperty("handoff.root")).toAbsolutePath().normalize();

    /** The start script. */
    static final Path HANDOFF = lay().resolve("handoff");

    private Distribution() {}

    /** A worker that exists for tests. Those of all modules are in one folder. */
    static String testWorker(String name) {
        return ROOT.resolve("handlers-process/src/test/workers").resolve(name).toString();
    }

    /** A program that is neither Handoff nor a worker. */
    static String testProgram(String name) {
        return ROOT.resolve("launcher/src/test/programs").resolve(name).toString();
    }

    private static Path lay() {
        Path built = Path.of(System.getProperty("handoff.app"), "lib");
        try (Stream<Path> jars = Files.list(built)) {
            Path home = Path.of(System.getProperty("handoff.app")).resolveSibling("distribution");
            Path lib = Files.createDirectories(home.resolve("lib"));
            for (Path jar : jars.toList()) {
                link(lib.resolve(jar.getFileName()), jar);
            }
            link(home.resolve("runtime"), Path.of(System.getProperty("java.home")));
            for (String folder : List.of("sdk-python", "sdk-node", "examples-python")) {
                link(home.resolve(folder), ROOT.resolve(folder));
            }
            Path script = home.resolve("handoff");
            Files.deleteIfExists(script);
            // A copy, since the script looks for its folder behind links.
            Files.copy(ROOT.resolve("handoff"), script, StandardCopyOption.COPY_ATTRIBUTES);
            train(home);
            return home;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Makes the AOT cache anew if a jar is newer. With it a start takes less than half of the time,
     * and the tests start more than a hundred servers.
     */
    private static void train(Path home) throws IOException {
        Path cache = home.resolve("lib/handoff.aot");
        if (!isCurrent(cache)) {
            Process training =
                    new ProcessBuilder(ROOT.resolve("scripts/train").toString(), home.toString())
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            if (training.onExit().join().exitValue() != 0) {
                throw new IOException("no AOT cache was made, see above");
            }
        }
    }

    private static boolean isCurrent(Path cache) throws IOException {
        try (Stream<Path> files = Files.list(Objects.requireNonNull(cache.getParent()))) {
            for (Path file : files.toList()) {
                if (!Files.exists(cache) || isNewer(file, cache)) {
                    return false;
                }
            }
            return true;
        }
    }

    private static boolean isNewer(Path file, Path other) throws IOException {
        return Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(other)) > 0;
    }

    private static void link(Path place, Path file) throws IOException {
        Files.deleteIfExists(place);
        Files.createSymbolicLink(place, file.toAbsolutePath().normalize());
    }
}

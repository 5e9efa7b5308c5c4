package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What users get as the start of a worker, and what they read when they get none. */
class NewCommandTest {
    private static final Path ROOT = Path.of(System.getProperty("handoff.root"));

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "c, worker.c",
        "cpp, worker.cpp",
        "csharp, Worker.cs",
        "d, worker.d",
        "go, worker.go",
        "haskell, worker.hs",
        "java, Worker.java pom.xml",
        "elixir, worker.exs",
        "kotlin, Worker.kt pom.xml",
        "lua, worker.lua",
        "nim, worker.nim",
        "ocaml, worker.ml",
        "perl, worker.pl",
        "php, worker.php",
        "ruby, worker.rb",
        "rust, worker.rs Cargo.toml Cargo.lock",
        "zig, worker.zig requirements.txt",
    })
    void writesTheExampleAsItIs(String language, String names) throws Exception {
        Path made = folder.resolve("a/b");
        assertTrue(make(language, made.toString()).contains("    cd " + made + "\n    apt-get"));
        Set<String> expected = new TreeSet<>(Arrays.asList(names.split(" ", -1)));
        expected.addAll(List.of("Dockerfile", "README.md"));
        assertEquals(expected, names(made));
        for (String name : expected) {
            assertArrayEquals(
                    Files.readAllBytes(ROOT.resolve("examples-other/" + language + "/" + name)),
                    Files.readAllBytes(made.resolve(name)),
                    name);
        }
    }

    @Test
    void leavesOutWhatABuildHasLeft() throws Exception {
        Path home = folder.resolve("home");
        Path example = home.resolve("examples-other/go");
        Files.createDirectories(example.resolve("lib"));
        for (String name :
                List.of(
                        "README.md",
                        "Dockerfile",
                        "worker.go",
                        "worker",
                        "A.class",
                        "worker.cmi",
                        "worker.cmx",
                        "worker.o",
                        "worker.hi",
                        "worker.exe")) {
            Files.writeString(example.resolve(name), "    handoff run ./worker\n");
        }
        Path made = folder.resolve("made");
        NewCommand.run(List.of("go", made.toString()), Map.of("HANDOFF_HOME", home.toString()));
        assertEquals(new TreeSet<>(List.of("Dockerfile", "README.md", "worker.go")), names(made));
    }

    @Test
    void leavesAFolderThatIsThereAlone() throws Exception {
        Path there = Files.createDirectory(folder.resolve("there"));
        assertTrue(refusal("ruby", there.toString()).contains(there + " exists already"));
        assertEquals(new TreeSet<>(), names(there));
    }

    @Test
    void namesTheLanguages() {
        String all =
                "c, cpp, csharp, d, elixir, go, haskell, java, kotlin, lua, nim, ocaml, perl, php, ruby, rust, zig";
        assertTrue(refusal().endsWith(all));
        assertTrue(refusal("cobol").endsWith(all));
        assertTrue(refusal("rubi").contains("did you mean ruby?"));
        assertTrue(refusal("../examples-python").startsWith("there is no start for ../"));
    }

    @Test
    void sendsThoseToTheirSdkWhoHaveOne() {
        assertTrue(refusal("python").startsWith("python needs no start: its SDK serves"));
        assertFalse(Files.exists(Path.of("python")));
    }

    @Test
    void saysWhereItLookedForExamples() {
        StartException none =
                assertThrows(
                        StartException.class,
                        () ->
                                NewCommand.run(
                                        List.of("ruby"),
                                        Map.of("HANDOFF_HOME", folder.toString())));
        assertTrue(String.valueOf(none.getMessage()).contains(folder + "/examples-other"));
    }

    private static String make(String... words) throws UsageException, StartException {
        return NewCommand.run(List.of(words), Map.of("HANDOFF_HOME", ROOT.toString()));
    }

    private static String refusal(String... words) {
        return String.valueOf(assertThrows(UsageException.class, () -> make(words)).getMessage());
    }

    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return new TreeSet<>(files.map(file -> file.getFileName().toString()).toList());
        }
    }
}

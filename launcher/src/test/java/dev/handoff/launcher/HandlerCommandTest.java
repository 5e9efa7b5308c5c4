package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlerCommandTest {
    @TempDir private Path folder;
    private Path work;
    private Path programs;

    @BeforeEach
    void makeFolders() throws IOException {
        work = Files.createDirectory(folder.resolve("work"));
        programs = Files.createDirectory(folder.resolve("programs"));
    }

    @ParameterizedTest
    @CsvSource({
        "a.py, python3",
        "a.js, node",
        "a.mjs, node",
        "a.cjs, node",
        "a.ts, node",
        "a.rb, ruby",
        "a.php, php",
        "a.sh, sh"
    })
    void startsAFileWithTheInterpreterOfItsExtension(String name, String program) throws Exception {
        String file = file(work, name);
        program(programs, program);
        assertEquals(List.of(program, file), command(file));
    }

    @Test
    void givesTheHandlerWhatFollowsTheFile() throws Exception {
        String file = file(work, "a.py");
        program(programs, "python3");
        assertEquals(
                List.of("python3", file, "--port", "1", "--", "-x"),
                command(file, "--port", "1", "--", "-x"));
    }

    @Test
    void takesPythonWhereThereIsNoPython3() throws Exception {
        String file = file(work, "a.py");
        program(programs, "python");
        assertEquals("python", command(file).getFirst());
    }

    @Test
    void prefersTheEnvironmentBesideTheFile() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        String file = file(other, "a.py");
        program(programs, "python3");
        String inWork = python(work.resolve(".venv"));
        assertEquals(inWork, command(file).getFirst());
        String beside = python(other.resolve(".venv"));
        assertEquals(beside, command(file).getFirst());
    }

    @Test
    void prefersTheActiveEnvironmentToThePath() throws Exception {
        String file = file(work, "a.py");
        program(programs, "python3");
        String active = python(folder.resolve("active"));
        Map<String, String> environment =
                Map.of("VIRTUAL_ENV", folder.resolve("active").toString());
        assertEquals(active, of(List.of(file), environment).arguments().getFirst());
    }

    @Test
    void startsAnExecutableByItself() throws Exception {
        String file = program(work, "handler");
        assertEquals(List.of(file, "x"), command(file, "x"));
    }

    @Test
    void refusesAFileThatNothingStarts() throws Exception {
        String file = file(work, "handler.txt");
        assertThrows(UsageException.class, () -> command(file));
    }

    @Test
    void refusesAFileThatIsNotThere() {
        String file = work.resolve("none.py").toString();
        UsageException refused = assertThrows(UsageException.class, () -> command(file));
        assertEquals("there is no file " + file, refused.getMessage());
    }

    @Test
    void refusesAFolder() {
        assertThrows(UsageException.class, () -> command(work.toString()));
    }

    @Test
    void saysWhichInterpreterIsMissingAndWhatToInstall() throws Exception {
        String file = file(work, "a.rb");
        StartException missing = assertThrows(StartException.class, () -> command(file));
        assertEquals(
                file + " needs ruby, which is not on the PATH: install Ruby", missing.getMessage());
    }

    @Test
    void takesACommandAsItStands() throws Exception {
        program(programs, "tool");
        List<String> words = List.of("tool", "--flag", "value");
        assertEquals(words, HandlerCommand.ofCommand(words, path()).arguments());
    }

    @Test
    void saysWhichProgramIsMissing() {
        StartException missing =
                assertThrows(
                        StartException.class,
                        () -> HandlerCommand.ofCommand(List.of("nosuch"), path()));
        assertTrue(String.valueOf(missing.getMessage()).contains("'nosuch'"));
        String file = work + "/nosuch";
        assertThrows(StartException.class, () -> HandlerCommand.ofCommand(List.of(file), path()));
    }

    private List<String> command(String... words) throws UsageException, StartException {
        return of(List.of(words), Map.of()).arguments();
    }

    private HandlerCommand of(List<String> words, Map<String, String> environment)
            throws UsageException, StartException {
        return HandlerCommand.ofFile(words, environment, path(), work);
    }

    private SearchPath path() {
        return new SearchPath(":/nonexistent:" + programs);
    }

    private static String file(Path parent, String name) throws IOException {
        return Files.createFile(parent.resolve(name)).toString();
    }

    private static String python(Path environment) throws IOException {
        return program(Files.createDirectories(environment.resolve("bin")), "python");
    }

    private static String program(Path parent, String name) throws IOException {
        return Files.createFile(
                        parent.resolve(name),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")))
                .toString();
    }
}

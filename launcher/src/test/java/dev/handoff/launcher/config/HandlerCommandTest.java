package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        "a.pl, perl",
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

    /** Such as in /tmp, where anybody may put one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesTheEnvironmentOfAStranger(boolean byLink) throws Exception {
        assumeTrue(Files.getAttribute(folder, "unix:uid").equals(0), "only root gives files away");
        String file = file(work, "a.py");
        program(programs, "python3");
        Path theirs = byLink ? folder.resolve("theirs") : work.resolve(".venv");
        python(theirs);
        if (byLink) {
            Files.createSymbolicLink(work.resolve(".venv"), theirs);
        }
        assertEquals(work.resolve(".venv/bin/python").toString(), command(file).getFirst());

        giveAway(theirs);
        StartException refused = assertThrows(StartException.class, () -> command(file));
        assertTrue(
                String.valueOf(refused.getMessage())
                        .startsWith(work.resolve(".venv") + " is another user's"));
        assertThrows(
                StartException.class,
                () -> HandlerCommand.ofApplication(List.of("main:app"), programs(home()), work));

        // Whoever has the folder has the handler too, as where one user deploys and another runs.
        giveAway(work);
        assertEquals(work.resolve(".venv/bin/python").toString(), command(file).getFirst());
    }

    private static void giveAway(Path file) throws IOException {
        Files.setAttribute(file, "unix:uid", 65534, LinkOption.NOFOLLOW_LINKS);
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
    void prefersThePythonThatItWasInstalledForToThePathOnly() throws Exception {
        String file = file(work, "a.py");
        program(programs, "python3");
        String installedFor = program(folder, "python3.14");
        Map<String, String> environment = Map.of("HANDOFF_PYTHON", installedFor);
        assertEquals(installedFor, of(List.of(file), environment).arguments().getFirst());

        String beside = python(work.resolve(".venv"));
        assertEquals(beside, of(List.of(file), environment).arguments().getFirst());
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
    void saysThatASourceHasToBeCompiled() throws Exception {
        String file = file(work, "worker.go");
        UsageException refused = assertThrows(UsageException.class, () -> command(file));
        assertTrue(
                String.valueOf(refused.getMessage())
                        .startsWith(file + " has to be compiled first: run the program"));
    }

    @Test
    void saysWhichInterpreterIsMissingAndWhatToInstall() throws Exception {
        String file = file(work, "a.rb");
        StartException missing = assertThrows(StartException.class, () -> command(file));
        assertEquals(
                file + " needs ruby, which is not on the PATH: install Ruby", missing.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "app = object()",
                "# for handoff_worker, which will serve(it)\napp = object()",
                "from handoff_worker import Response\ndef handler(request): ...",
                "import handoff_workers\nhandoff_workers.serve()"
            })
    void givesAPythonFileThatDoesNotServeItselfToTheSdk(String text) throws Exception {
        String file = file(work, "a.py");
        Files.writeString(Path.of(file), text);
        program(programs, "python3");
        Map<String, String> home = home();
        assertEquals(
                List.of("python3", home.get("HANDOFF_HOME") + "/sdk-python/src", file, "--factory"),
                of(List.of(file, "--factory"), home).arguments());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "from handoff_worker import serve\nserve(handler)",
                "import sys\nimport os, handoff_worker\nhandoff_worker.serve(handler)",
                "if True:\n    from handoff_worker import serve as go\n    serve(1)",
                "os.environ['HANDOFF_SOCKET']"
            })
    void startsAPythonFileThatServesItselfAsAProgram(String text) throws Exception {
        String file = file(work, "a.py");
        Files.writeString(Path.of(file), text);
        program(programs, "python3");
        assertEquals(List.of("python3", file), of(List.of(file), home()).arguments());
    }

    @Test
    void loadsTheSdkBeforeANodeFile() throws Exception {
        String file = file(work, "a.mjs");
        program(programs, "node");
        Map<String, String> home = home();
        String preload = home.get("HANDOFF_HOME") + "/sdk-node/preload.mjs";
        assertEquals(
                List.of("node", "--import", preload, file), of(List.of(file), home).arguments());
    }

    @Test
    void loadsTheSdkBeforeWhatACommandGivesToNode() throws Exception {
        program(programs, "node");
        Map<String, String> home = home();
        String preload = home.get("HANDOFF_HOME") + "/sdk-node/preload.mjs";
        assertEquals(
                List.of("node", "--import", preload, "--inspect", "a.mjs"),
                HandlerCommand.ofCommand(List.of("node", "--inspect", "a.mjs"), programs(home))
                        .arguments());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "folder with a main   | package.json | {\"main\": \"server.cjs\"}",
                "folder with an index | index.js     | 0"
            })
    void runsAPackageByItsFolder(String name, String inside, String text) throws Exception {
        Path of = Files.createDirectory(work.resolve(name));
        Files.writeString(of.resolve(inside), text);
        program(programs, "node");
        HandlerCommand command = of(List.of(of.toString(), "--flag"), Map.of());
        assertEquals(List.of("node", of.toString(), "--flag"), command.arguments());
        assertEquals(of, command.folder());
    }

    @Test
    void saysWhatToDoWithAFolderThatNodeWouldNotRun() throws Exception {
        Files.writeString(work.resolve("package.json"), "{\"scripts\": {\"start\": \"true\"}}");
        UsageException refused = assertThrows(UsageException.class, () -> command(work.toString()));
        assertTrue(String.valueOf(refused.getMessage()).endsWith("'handoff run -- npm start'"));
    }

    @Test
    void runsWhatNodeWouldFindWithoutItsExtension() throws Exception {
        file(work, "server.js");
        program(programs, "node");
        String named = work.resolve("server").toString();
        assertEquals(List.of("node", named), command(named));
    }

    @ParameterizedTest
    @CsvSource({
        "#!/usr/bin/env node, true",
        "#!/usr/bin/env -S node --no-warnings, true",
        "#!/usr/local/bin/node, true",
        "#!/usr/bin/env nodemon, false",
        "#!/bin/sh, false"
    })
    void runsAFileByNodeIfItsFirstLineSaysSo(String line, boolean byNode) throws Exception {
        Path server = Path.of(program(work, "server"));
        Files.writeString(server, line + "\n");
        program(programs, "node");
        assertEquals(
                byNode ? List.of("node", server.toString()) : List.of(server.toString()),
                command(server.toString()));
    }

    @ParameterizedTest
    @CsvSource({
        "main:app, true",
        "pkg.main:create.app, true",
        "_a1:b, true",
        "main, false",
        "main:, false",
        ":app, false",
        "a-b:c, false",
        "http://a, false",
        "a.:b, false"
    })
    void tellsAnApplicationFromAFile(String word, boolean expected) {
        assertEquals(expected, HandlerCommand.namesApplication(word));
    }

    @Test
    void startsAnApplicationWithTheEnvironmentOfItsFolder() throws Exception {
        String virtual = python(work.resolve(".venv"));
        assertEquals(
                List.of(virtual, "-m", "handoff_worker", "main:app", "--factory"),
                HandlerCommand.ofApplication(
                                List.of("main:app", "--factory"), programs(home()), work)
                        .arguments());
    }

    @Test
    void takesACommandAsItStands() throws Exception {
        program(programs, "tool");
        List<String> words = List.of("tool", "--flag", "value");
        assertEquals(words, HandlerCommand.ofCommand(words, programs(Map.of())).arguments());
    }

    @Test
    void saysWhichProgramIsMissing() {
        StartException missing =
                assertThrows(
                        StartException.class,
                        () -> HandlerCommand.ofCommand(List.of("nosuch"), programs(Map.of())));
        assertTrue(String.valueOf(missing.getMessage()).contains("'nosuch'"));
        String file = work + "/nosuch";
        assertThrows(
                StartException.class,
                () -> HandlerCommand.ofCommand(List.of(file), programs(Map.of())));
    }

    private List<String> command(String... words) throws UsageException, StartException {
        return of(List.of(words), Map.of()).arguments();
    }

    private HandlerCommand of(List<String> words, Map<String, String> environment)
            throws UsageException, StartException {
        return HandlerCommand.ofFile(words, programs(environment), work);
    }

    private Programs programs(Map<String, String> environment) {
        SearchPath path = new SearchPath(":/nonexistent:" + programs);
        return new Programs(environment, path, Sdks.of(environment));
    }

    /** Where both SDKs lie. */
    private Map<String, String> home() throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        Files.createDirectories(home.resolve("sdk-python/src"));
        file(Files.createDirectory(home.resolve("sdk-node")), "preload.mjs");
        return Map.of("HANDOFF_HOME", home.toString());
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

package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the user reads when it cannot start: one line, and an exit code that says whose fault. */
class StartIT extends EndToEnd {
    private static final String HELLO = "examples-python/hello.py";

    @Test
    void saysThatThePortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            assertEquals(
                    "handoff: port "
                            + port
                            + " on 127.0.0.1 is in use (choose another with --port)",
                    onlyLine(1, Map.of(), "run", "--port", port, HELLO));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "run --port TAKEN HELLO",
        "run --port 0 --admin-port TAKEN HELLO",
        "run --port 0 --admin-token-file pom.xml HELLO",
        "run --port 0 --host no.such.host.invalid HELLO",
        "run --port 0 --access-log no-such-folder/log HELLO",
        "run --port 0 -- no-such-program",
        "run -- ./no-such-file.py",
        "serve --port TAKEN --socket FOLDER/socket",
        "serve --port 0 --socket FOLDER/socket --admin-port TAKEN",
    })
    void leavesNothingBehindWhenTheStartIsRefused(String arguments, @TempDir Path folder)
            throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String words =
                    arguments
                            .replace("TAKEN", Integer.toString(taken.getLocalPort()))
                            .replace("FOLDER", folder.toString())
                            .replace("HELLO", HELLO);
            onlyLine(
                    1,
                    Map.of("HANDOFF_JAVA_OPTS", "-Djava.io.tmpdir=" + folder),
                    words.split(" ", -1));
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void saysThatTheSocketPathIsTooLong(@TempDir Path folder) throws Exception {
        String path = folder.resolve("x".repeat(108)).toString();
        String line = onlyLine(1, Map.of(), "serve", "--port", "0", "--socket", path);
        assertTrue(line.contains("socket path") && line.endsWith(path), line);
    }

    @Test
    void saysWhichProgramIsMissing() throws Exception {
        String line = onlyLine(1, Map.of(), "run", "--", "no-such-program");
        assertTrue(line.contains("'no-such-program'"), line);
    }

    @ParameterizedTest
    @CsvSource({
        "run,                          handoff: name what to run",
        "run no-such-file.py,          handoff: there is no file no-such-file.py",
        "run pom.xml,                  handoff: pom.xml is neither executable nor one of .py",
        "run pom.xml x,                handoff: unexpected argument x; the handler's own come",
        "run --prot 1 x.py,            handoff: there is no option --prot (did you mean --port?)",
        "run app:app -w 4,             handoff: there is no option -w: use --workers",
        "run -w4 app:app,              handoff: there is no option -w4: use --workers",
        "run app:app -b :8000,         handoff: there is no option -b: use --listen",
        "run --bind=:8000 app:app,     handoff: there is no option --bind=:8000: use --listen",
        "run app:app --reload,         handoff: there is no option --reload: use --watch",
        "run app:app --threads 8,      handoff: there is no option --threads: it is for Python's",
        "serve --reload,               handoff: there is no option --reload",
        "run --port,                   handoff: missing required parameter for option '--port'",
        "run --port x hello.py,        handoff: --port is 'x': expected a whole number",
        "run --max-body 8MB hello.py,  handoff: --max-body is '8MB': expected a size",
        "serve --workers 2,            handoff: there is no option --workers",
        "serve hello.py,               handoff: unexpected argument hello.py",
        "start,                        handoff: unexpected argument start"
    })
    void refusesBadUsage(String arguments, String begin) throws Exception {
        String line = onlyLine(2, Map.of(), arguments.split(" ", -1));
        assertTrue(line.startsWith(begin), line);
    }

    @Test
    void namesABadVariable() throws Exception {
        String line = onlyLine(2, Map.of("HANDOFF_IDLE_TIMEOUT", "soon"), "run", HELLO);
        assertTrue(line.startsWith("handoff: HANDOFF_IDLE_TIMEOUT is 'soon': expected"), line);
    }

    @ParameterizedTest
    @CsvSource({"--help", "--version", "run --help", "serve --help"})
    void helps(String arguments) throws Exception {
        HandoffProcess handoff = handoff(arguments.split(" ", -1));
        assertEquals(0, handoff.awaitExit());
        assertEquals(List.of(), handoff.stderr().all());
        assertTrue(
                handoff.stdout().all().stream()
                        .anyMatch(line -> line.contains("Handoff") || line.contains("--port")));
    }

    private String onlyLine(int exitCode, Map<String, String> environment, String... arguments)
            throws Exception {
        HandoffProcess handoff = handoff(environment, arguments);
        assertEquals(exitCode, handoff.awaitExit());
        List<String> lines = handoff.stderr().all();
        assertEquals(1, lines.size(), lines.toString());
        return lines.getFirst();
    }
}

package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples, both SDKs and the worker of the page keep all rules. */
final class WorkersIT {
    private static final Path ROOT =
            Path.of(System.getProperty("handoff.root")).toAbsolutePath().normalize();

    private static final Map<String, String> WITH_SDK =
            Map.of("PYTHONPATH", ROOT.resolve("sdk-python/src").toString(), "PORT", "0");

    /** A command, and its routes for {@code --echo}, {@code --stream} and {@code --websocket}. */
    private static final String WORKERS =
            """
            python3 worker-of-the-page.py,                                  ,  ,        ,
            python3 examples-python/hello.py,                               ,  ,        ,
            python3 examples-python/echo.py,                                /, ,        ,
            python3 examples-python/external.py,                            ,  ,        ,
            python3 examples-python/events.py,                              ,  /clock,  ,
            python3 examples-python/chat.py,                                ,  ,        /chat
            python3 examples-python/sdk_hello.py,                           ,  ,        ,
            python3 examples-python/where.py,                               ,  ,        ,
            python3 examples-python/todo_backend.py,                        ,  ,        ,
            node examples-node/hello.mjs,                                   ,  ,        ,
            node examples-node/echo.mjs,                                    /, ,        ,
            node examples-node/events.mjs,                                  ,  /events, ,
            node examples-node/chat.mjs,                                    ,  ,        /chat
            node --import ./sdk-node/preload.mjs examples-node/sdk-hello.mjs, , ,       ,
            node --import ./sdk-node/preload.mjs examples-node/where.mjs,   ,  ,        ,
            """;

    /** They wait for most of their time. */
    private static final int AT_ONCE = 15;

    private static final Map<String, Future<List<String>>> FOUND = new HashMap<>();

    private static final ExecutorService RUNS = Executors.newFixedThreadPool(AT_ONCE);

    @TempDir private static Path folder;

    @BeforeAll
    static void tryAll() throws IOException {
        String page = page();
        int begin = page.indexOf("```python\n") + "```python\n".length();
        Files.writeString(
                folder.resolve("worker-of-the-page.py"),
                page.substring(begin, page.indexOf("```", begin)));
        String python = isOnPath("python3") ? python() : "python3";
        for (String row : WORKERS.lines().toList()) {
            Path own = Files.createDirectory(folder.resolve("sockets-" + FOUND.size()));
            FOUND.put(row, RUNS.submit(() -> failures(row, own, python)));
        }
    }

    @AfterAll
    static void end() {
        RUNS.shutdownNow();
    }

    static Stream<String> workers() {
        return WORKERS.lines();
    }

    @ParameterizedTest
    @MethodSource("workers")
    void keepsAllRules(String row) throws InterruptedException, ExecutionException {
        String program = row.substring(0, row.indexOf(' '));
        assumeTrue(isOnPath(program), program + " is not on the PATH");
        assertEquals(List.of(), Objects.requireNonNull(FOUND.get(row)).get());
    }

    @Test
    void everyCaseNamesASectionThatThePageHas() throws IOException {
        List<String> sections =
                page().lines()
                        .filter(line -> line.startsWith("#"))
                        .map(line -> line.replaceFirst("#+ ", ""))
                        .map(line -> line.toLowerCase(Locale.ROOT).replace(",", ""))
                        .map(line -> line.replace(' ', '-'))
                        .toList();
        for (Case each : WorkerCheck.cases()) {
            assertEquals(
                    List.of(each.section()),
                    sections.stream().filter(each.section()::equals).toList(),
                    each.name());
        }
    }

    private static String page() throws IOException {
        return Files.readString(ROOT.resolve("docs/PROTOCOL.md"));
    }

    /** The interpreter itself: what stands for it on the PATH may be a script that takes longer. */
    private static String python() throws IOException {
        Process asked =
                new ProcessBuilder("python3", "-c", "import sys; print(sys.executable)").start();
        return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static List<String> failures(String row, Path own, String python)
            throws InterruptedException {
        String[] columns = row.split(",\\s*", -1);
        List<String> command = new ArrayList<>();
        for (String word : columns[0].split(" ", -1)) {
            Path file = word.equals("worker-of-the-page.py") ? folder : ROOT;
            command.add(
                    word.equals("python3")
                            ? python
                            : word.contains(".")
                                    ? file.resolve(word).normalize().toString()
                                    : word);
        }
        CheckPlan plan =
                new CheckPlan(
                        columns[0],
                        command,
                        WITH_SDK,
                        Set.of(),
                        route(columns[1]),
                        route(columns[2]),
                        route(columns[3]),
                        Duration.ofSeconds(10),
                        Duration.ofMillis(20));
        Report report = new WorkerCheck(plan, own, result -> {}).run();
        List<String> failures =
                report.results().stream()
                        .filter(result -> result.verdict() instanceof Verdict.Failed)
                        .map(TextReport::of)
                        .toList();
        if (failures.isEmpty()) {
            assertNotNull(report.measured());
        }
        return failures;
    }

    private static @Nullable String route(String column) {
        return column.isEmpty() ? null : column;
    }

    private static boolean isOnPath(String program) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }
}

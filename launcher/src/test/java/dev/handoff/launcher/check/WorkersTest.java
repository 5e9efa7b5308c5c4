package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples, both SDKs and the worker of the page keep all rules. */
@Tag("processes")
final class WorkersTest {
    private static final Path ROOT =
            Path.of(System.getProperty("handoff.root")).toAbsolutePath().normalize();

    private static final Map<String, String> WITH_SDK =
            Map.of("PYTHONPATH", ROOT.resolve("sdk-python/src").toString(), "PORT", "0");

    @TempDir private Path folder;

    @Tag("kit")
    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    python3 examples-python/hello.py,                        ,  ,        ,
                    python3 examples-python/echo.py,                         /, ,        ,
                    python3 examples-python/external.py,                     ,  ,        ,
                    python3 examples-python/events.py,                       ,  /clock,  ,
                    python3 examples-python/chat.py,                         ,  ,        /chat
                    python3 examples-python/sdk_hello.py,                    ,  ,        ,
                    python3 examples-python/where.py,      ,  ,        ,
                    python3 examples-python/todo_backend.py,                 ,  ,        ,
                    node examples-node/hello.mjs,                            ,  ,        ,
                    node examples-node/echo.mjs,                             /, ,        ,
                    node examples-node/events.mjs,                           ,  /events, ,
                    node examples-node/chat.mjs,                             ,  ,        /chat
                    node --import ./sdk-node/preload.mjs examples-node/sdk-hello.mjs, , , ,
                    node --import ./sdk-node/preload.mjs examples-node/where.mjs,     , , ,
                    """)
    void keepsAllRules(
            String command,
            @Nullable String echo,
            @Nullable String stream,
            @Nullable String webSocket)
            throws InterruptedException {
        List<String> words = new ArrayList<>();
        for (String word : command.split(" ", -1)) {
            boolean isFile = word.contains("/");
            words.add(isFile ? ROOT.resolve(word).normalize().toString() : word);
        }
        assumeTrue(isOnPath(words.getFirst()), words.getFirst() + " is not on the PATH");
        assertEquals(List.of(), failures(words, echo, stream, webSocket));
    }

    @Test
    void theWorkerOfThePageKeepsAllRules() throws IOException, InterruptedException {
        String page = Files.readString(ROOT.resolve("docs/PROTOCOL.md"));
        int begin = page.indexOf("```python\n") + "```python\n".length();
        Path worker = folder.resolve("worker.py");
        Files.writeString(worker, page.substring(begin, page.indexOf("```", begin)));
        assertEquals(List.of(), failures(List.of("python3", worker.toString()), null, null, null));
    }

    @Test
    void everyCaseNamesASectionThatThePageHas() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/PROTOCOL.md"));
        List<String> sections =
                page.lines()
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

    private List<String> failures(
            List<String> command,
            @Nullable String echo,
            @Nullable String stream,
            @Nullable String webSocket)
            throws InterruptedException {
        CheckPlan plan =
                new CheckPlan(
                        String.join(" ", command),
                        command,
                        WITH_SDK,
                        Set.of(),
                        echo,
                        stream,
                        webSocket,
                        Duration.ofSeconds(10),
                        Duration.ofMillis(100));
        Report report = new WorkerCheck(plan, folder, result -> {}).run();
        assertNotNull(report.measured());
        return report.results().stream()
                .filter(result -> result.verdict() instanceof Verdict.Failed)
                .map(TextReport::of)
                .toList();
    }

    private static boolean isOnPath(String program) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}

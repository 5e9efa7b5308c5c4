package dev.handoff.launcher.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.Json;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopScreenTest {
    private static final String IDLE_POOL =
            """
            {"name": "idle", "state": "serving", "overloaded": false, "concurrency": 0, "inFlight": 0,
             "workers": {"ready": 0}, "queue": {"depth": 3, "limit": 100},
             "rejected": {"queue_full": 2, "no_worker": 5}, "recent": {}}
            """;

    private static final String NO_REQUEST = "{\"requests\": []}";

    @Test
    void showsAPoolWithItsQueueAndWhatItRejected() {
        List<String> screen = screen("{\"pools\": [%s]}".formatted(IDLE_POOL), NO_REQUEST);
        List<String> cells = cells(screen, "idle");
        assertEquals(
                List.of("idle", "no worker", "0", "0/0", "3/100", "–", "–", "–", "–", "7"), cells);
    }

    @Test
    void showsWhatRetiresBesideWhatServes() {
        List<String> screen =
                screen(
                        """
                        {"pools": [%s],
                         "retiring": [{"name": "old", "pools": 1, "inFlight": 4, "queued": 2, "workers": {"ready": 1}}]}
                        """
                                .formatted(IDLE_POOL),
                        """
                        {"requests": [{"method": "GET", "target": "/", "worker": "old-1", "retiring": true,
                          "pool": "old", "state": "running", "ageMillis": 12000}]}
                        """);
        assertEquals(
                List.of("old", "retiring", "1", "4", "2", "–", "–", "–", "–", "–"),
                cells(screen, "old"));
        assertTrue(screen.getLast().contains("old-1 (retiring)"), screen.getLast());
    }

    @Test
    void tellsHowItGoesNowApartFromTheWindow() {
        List<String> screen =
                screen(
                        """
                        {"requests": {"total": 100, "inFlight": 12, "byStatus": {"2xx": 97, "3xx": 0, "4xx": 2, "5xx": 1}},
                         "window": {"seconds": 75},
                         "recent": {"requestsPerSecond": 4, "errorsPerSecond": 4, "latencyMillis": {"p50": 5000}}}
                        """,
                        NO_REQUEST);
        assertTrue(
                screen.contains(
                        "now          4.0/s  100% fail  12 in flight  p50 5.00 s  p90 –  p99 –  max –"),
                screen::toString);
        assertTrue(
                screen.contains(
                        "window       100 requests in 1 min 15 s  2xx 97%  3xx 0%  4xx 2.0%  5xx 1.0%"),
                screen::toString);
    }

    @Test
    void countsWhatStaysOpen() {
        String screen =
                screen(
                                """
                                {"requests": {"inFlight": 12}, "streams": {"open": 3},
                                 "webSockets": {"open": 1234}}
                                """,
                                NO_REQUEST)
                        .toString();
        assertTrue(screen.contains("  12 in flight  3 streams  1,234 WebSockets  "), screen);
    }

    @Test
    void saysWhyAWorkerIsNotReady() {
        String workers =
                """
                {"pools": [{"lastError": "", "workers": [
                  {"state": "waiting", "lastError": "a-1: exit code 3 (no module app)"},
                  {"state": "ready", "lastError": "a-2: exit code 3, but that was before"}]}]}
                """;
        Sample sample = new Sample(0, figures("{}"), figures(NO_REQUEST), figures(workers));
        List<String> screen =
                text(new TopScreen(sample, Map.of(), WorkerOrder.NAME), Integer.MAX_VALUE);
        assertTrue(screen.contains("! a-1: exit code 3 (no module app)"), screen::toString);
        assertEquals(1, screen.stream().filter(line -> line.startsWith("!")).count());
    }

    @Test
    void sortsWorkersByTheChosenFigureAndEqualOnesAsCounted() {
        String stats =
                "{\"workers\": [%s, %s, %s]}"
                        .formatted(worker("w-10", 1), worker("w-9", 1), worker("w-1", 7));
        assertEquals(List.of("w-1", "w-9", "w-10"), workers(stats, WorkerOrder.FAILURES));
        assertEquals(List.of("w-1", "w-9", "w-10"), workers(stats, WorkerOrder.NAME));
        // Nobody told of memory: then the name decides.
        assertEquals(List.of("w-1", "w-9", "w-10"), workers(stats, WorkerOrder.MEMORY));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 12, 24, 60})
    void neverSaysThatItShowsMoreThanItDoes(int height) {
        String workers =
                IntStream.range(0, 64)
                        .mapToObj(i -> worker("w-" + i, 0))
                        .collect(Collectors.joining(","));
        String pools =
                IntStream.range(0, 10).mapToObj(i -> IDLE_POOL).collect(Collectors.joining(","));
        List<String> screen =
                screen(
                        "{\"pools\": [%s], \"workers\": [%s]}".formatted(pools, workers),
                        NO_REQUEST,
                        height);
        int shownWorkers = (int) screen.stream().filter(line -> line.startsWith("w-")).count();
        String others = "… and " + (64 - shownWorkers) + " more";
        assertTrue(screen.contains(others), () -> others + " in " + screen);
    }

    @Test
    void leavesRoomForTheOldestRequestsHoweverManyWorkersThereAre() {
        String workers =
                IntStream.range(0, 64)
                        .mapToObj(i -> worker("w-" + i, 0))
                        .collect(Collectors.joining(","));
        String requests =
                IntStream.range(0, 50)
                        .mapToObj(TopScreenTest::request)
                        .collect(Collectors.joining(","));
        List<String> screen =
                screen(
                        "{\"workers\": [%s]}".formatted(workers),
                        "{\"requests\": [%s]}".formatted(requests),
                        24);
        assertTrue(screen.size() <= 24, () -> screen.size() + " lines");
        assertTrue(screen.stream().anyMatch(line -> line.contains("GET /0")), screen::toString);
    }

    @Test
    void showsAHostileTargetWithoutItsControlCharacters() {
        List<String> screen =
                screen(
                        "{}",
                        """
                        {"requests": [{"method": "GET", "target": "/\\u001b[2J\\u202e", "worker": null,
                          "pool": "site", "state": "queued", "ageMillis": 12000}]}
                        """);
        String line = screen.getLast();
        assertFalse(line.chars().anyMatch(Character::isISOControl), line);
        assertTrue(line.startsWith("12.0 s  queued  site (queue)"), line);
        assertTrue(line.endsWith("GET /\ufffd[2J\ufffd"), line);
    }

    @Test
    void toleratesAServerThatTellsNothing() {
        assertTrue(screen("{}", "{}").contains("No request in hand"));
    }

    private static String worker(String id, int failures) {
        return "{\"id\": \"%s\", \"pool\": \"w\", \"state\": \"ready\", \"failures\": %d}"
                .formatted(id, failures);
    }

    private static String request(int number) {
        return "{\"method\": \"GET\", \"target\": \"/%d\", \"ageMillis\": 1}".formatted(number);
    }

    private static List<String> workers(String stats, WorkerOrder order) {
        return text(new TopScreen(sample(stats, NO_REQUEST), Map.of(), order), Integer.MAX_VALUE)
                .stream()
                .filter(line -> line.startsWith("w-"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    private static List<String> cells(List<String> screen, String first) {
        String line =
                screen.stream().filter(each -> each.startsWith(first)).findFirst().orElseThrow();
        return List.of(line.split(" {2,}"));
    }

    private static List<String> screen(String stats, String requests) {
        return screen(stats, requests, Integer.MAX_VALUE);
    }

    private static List<String> screen(String stats, String requests, int height) {
        return text(
                new TopScreen(sample(stats, requests), Map.of(), WorkerOrder.IN_FLIGHT), height);
    }

    private static List<String> text(TopScreen screen, int height) {
        return screen.lines(height).stream().map(Object::toString).toList();
    }

    private static Sample sample(String stats, String requests) {
        return new Sample(0, figures(stats), figures(requests), figures("{}"));
    }

    private static Figures figures(String json) {
        return new Figures(Json.createReader(new StringReader(json)).readObject());
    }
}

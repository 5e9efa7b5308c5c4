package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators type to see how a running server is doing. */
class OperatorIT extends EndToEnd {
    private static final String WORKER = "examples-python/external.py";
    private static final String TOKEN = "a-token-for-this-test";

    @TempDir private Path folder;

    @Test
    void statsTellsWhatWasServedAsTextAndAsJson() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        serve(server, 3);
        awaitTotal(3, server);

        List<String> text = ask(server, "stats");
        assertTrue(
                text.stream().anyMatch(line -> line.matches("requests\\.total: +3")),
                text::toString);
        assertEquals(3, total(ask(server, "stats", "--json")));
    }

    @Test
    void resetPrintsTheWindowThatItClosesAndStatsShowsItLater() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        serve(server, 3);
        awaitTotal(3, server);
        assertEquals(3, total(ask(server, "reset", "--json")));
        serve(server, 1);
        awaitTotal(1, server);
        assertEquals(3, total(ask(server, "stats", "--previous", "--json")));
    }

    @Test
    void topPrintsPoolsWorkersAndTheOldestRequestOnce() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "2");
        serve(server, 2);
        try (LastingClients _ = new LastingClients(1, server.port(), "/slow?delay=20000")) {
            List<String> screen = new ArrayList<>();
            Await.until(
                    "the request in hand",
                    () -> {
                        screen.clear();
                        screen.addAll(askUnchecked(server, "top", "--once"));
                        return screen.stream().anyMatch(line -> line.endsWith("GET /slow"));
                    });
            assertTrue(screen.stream().anyMatch(line -> line.startsWith("default  ")));
            assertEquals(2, screen.stream().filter(line -> line.startsWith("default-")).count());
        }
    }

    @Test
    void topLivesInATerminalOfAnySizeUntilItsUserQuits() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "2");
        serve(server, 2);
        try (Tmux terminal = new Tmux(100, 30, command(server, "top", "--interval", "200ms"))) {
            terminal.awaitScreen("the workers", screen -> count(screen, "default-") == 2);
            try (LastingClients asking = new LastingClients(1, server.port(), "/?delay=50")) {
                terminal.awaitScreen("a request", screen -> hasLineWith(screen, "GET /"));
                assertEquals(List.of(), asking.end());
            }
            terminal.press("s");
            terminal.awaitScreen(
                    "another order", screen -> screen.getFirst().contains("(requests)"));
            terminal.resize(40, 8);
            terminal.awaitScreen(
                    "lines cut to the narrow terminal",
                    screen -> screen.size() <= 8 && screen.get(1).startsWith("Handoff"));
            terminal.resize(100, 30);
            terminal.press("r");
            terminal.awaitScreen(
                    "a new window", screen -> hasLineWith(screen, "window       0 requests"));
            terminal.press("q");
            List<String> left =
                    terminal.awaitScreen("the end", screen -> hasLineWith(screen, "ended with"));
            assertEquals("ended with 0", left.getFirst());
        }
    }

    @Test
    void topGivesTheTerminalBackOnCtrlC() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        try (Tmux terminal = new Tmux(80, 24, command(server, "top"))) {
            terminal.awaitScreen("the view", screen -> hasLineWith(screen, "q quit"));
            terminal.press("C-c");
            terminal.awaitScreen("the end", screen -> hasLineWith(screen, "ended with 0"));
            terminal.press("x");
            terminal.awaitScreen("what is typed", screen -> hasLineWith(screen, "x"));
        }
    }

    @Test
    void topSaysThatItsServerIsGoneAndGoesOnWhenAnotherComes() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        String port = adminPort(server);
        try (Tmux terminal = new Tmux(120, 24, command(server, "top", "--interval", "200ms"))) {
            terminal.awaitScreen("the view", screen -> hasLineWith(screen, "q quit"));
            server.signal("TERM");
            server.awaitExit();
            terminal.awaitScreen(
                    "why nothing moves", screen -> hasLineWith(screen, "! what follows is old"));
            handoff("run", WORKER, "--workers", "2", "--port", "0", "--admin-port", port);
            terminal.awaitScreen("the next server", screen -> count(screen, "default-") == 2);
        }
    }

    @Test
    void topWithoutATerminalNamesTheOptionForScripts() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        server.adminUrl();
        HandoffProcess top = handoff(arguments(server, "top"));
        assertEquals(ExitCode.FAILED, top.awaitExit());
        top.stderr().await(line -> line.contains("handoff top --once"));
    }

    @Test
    void theTokenComesFromItsFileAndIsToldToNobody() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        HandoffProcess server =
                run(WORKER, "--workers", "1", "--admin-token-file", file.toString());
        server.adminUrl();
        assertEquals(
                0, total(ask(server, "stats", "--json", "--admin-token-file", file.toString())));

        HandoffProcess without = handoff(arguments(server, "stats"));
        assertEquals(ExitCode.FAILED, without.awaitExit());
        without.stderr().await(line -> line.contains("--admin-token-file"));
        assertFalse((server.stdout() + "\n" + server.stderr()).contains(TOKEN));
    }

    @Test
    void ordersSayWhatHasBecomeOfThem() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        serve(server, 1);
        assertEquals(
                List.of("pool default: done, 1 worker"),
                ask(server, "scale", "default", "2", "--wait"));
        assertEquals(
                List.of("worker default-2: done"), ask(server, "drain", "default-2", "--wait"));
        assertEquals(
                List.of("pool default: done, 2 workers"),
                ask(server, "reload", "default", "--wait"));
        assertEquals(List.of("the server: done"), ask(server, "reload", "--wait"));
        assertEquals(
                List.of("{\"pool\":\"default\",\"state\":\"done\",\"workers\":0}"),
                ask(server, "scale", "default", "2", "--wait", "--json"));
        serve(server, 1);
    }

    @Test
    void anOrderThatIsRefusedFailsWithTheServersOwnWords() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        serve(server, 1);
        assertRefused(
                ExitCode.FAILED, "there is no worker default-9", server, "drain", "default-9");
        assertRefused(ExitCode.FAILED, "there is no worker default-9", server, "kill", "default-9");
        assertRefused(ExitCode.FAILED, "there is no pool other", server, "scale", "other", "2");
        assertRefused(ExitCode.BAD_USAGE, "a whole number", server, "scale", "default", "many");
        // A variable of a script that is not set must not end the server.
        assertRefused(ExitCode.BAD_USAGE, "say 'handoff drain WORKER'", server, "drain", "");
        serve(server, 1);
    }

    @Test
    void aDrainOfAWorkerThatIsStartedElsewhereIsDoneWhenItHasAnswered() throws Exception {
        String socket = folder.resolve("s").toString();
        HandoffProcess server =
                handoff("serve", "--port", "0", "--admin-port", "0", "--socket", socket);
        ProcessBuilder builder =
                new ProcessBuilder("python3", Distribution.ROOT.resolve(WORKER).toString());
        builder.environment().put("HANDOFF_SOCKET", socket);
        server.adminUrl();
        Process worker = builder.start();
        try {
            serve(server, 1);
            RawClient client = client(server);
            client.get("/slow?delay=20000");
            Await.until("the request in hand", () -> isInHand(server, "GET /slow"));
            assertEquals(
                    List.of("worker default-external-1: done"),
                    ask(server, "drain", "default-external-1", "--wait"));
            assertFalse(isInHand(server, "GET /slow"), "the drain is done");
        } finally {
            worker.destroy();
            worker.waitFor();
        }
    }

    @Test
    void aReloadTellsWhetherTheFileHasChangedThoughAnotherTookItsPlace() throws Exception {
        Path file = folder.resolve("handoff.json");
        String command = Distribution.ROOT.resolve(WORKER).toString();
        String text = "{\"pools\": {\"%s\": {\"command\": \"" + command + "\"}}}";
        Files.writeString(file, text.formatted("one"));
        HandoffProcess server =
                handoff("serve", "--config", file.toString(), "--port", "0", "--admin-port", "0");
        assertEquals("one\n", client(server).ask("/").text());
        assertEquals(
                List.of(
                        "the server: done; the configuration file is read again: nothing in it has"
                                + " changed; workers are replaced"),
                ask(server, "reload", "--wait"));

        // As editors and sed -i do.
        Path other = Files.writeString(folder.resolve("other"), text.formatted("two"));
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertEquals(List.of("the server: done"), ask(server, "reload", "--wait"));
        assertEquals("two\n", client(server).ask("/").text());
    }

    @Test
    void whereTheSignalIsIgnoredTheCommandReloads() throws Exception {
        List<String> deaf = List.of("sh", "-c", "trap '' HUP; exec \"$@\"", "sh");
        try (HandoffProcess server =
                HandoffProcess.startBy(deaf, "run", "--port", "0", "--admin-port", "0", WORKER)) {
            server.stderr().await(line -> line.contains("SIGHUP does nothing"));
            List<Long> before = server.awaitWorkers(1);
            server.signal("HUP");
            assertEquals(List.of("the server: done"), ask(server, "reload", "--wait"));
            HandoffProcess.awaitGone(before);
        }
    }

    @Test
    void aDrainOfTheServerIsDoneWhenItHasEnded() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        serve(server, 1);
        assertEquals(List.of("the server: done"), ask(server, "drain", "--wait"));
        assertEquals(ExitCode.CLEAN, server.awaitExit());
    }

    @Test
    void whereNoServerIsTheErrorNamesTheAddress() throws Exception {
        HandoffProcess server = run(WORKER, "--workers", "1");
        List<String> arguments = List.of(arguments(server, "stats"));
        server.signal("TERM");
        server.awaitExit();
        HandoffProcess stats = handoff(arguments.toArray(String[]::new));
        assertEquals(ExitCode.FAILED, stats.awaitExit());
        stats.stderr().await(line -> line.contains("http://127.0.0.1:" + arguments.getLast()));
    }

    private void assertRefused(int exitCode, String why, HandoffProcess server, String... command)
            throws Exception {
        HandoffProcess refused = handoff(arguments(server, command));
        assertEquals(exitCode, refused.awaitExit());
        refused.stderr().await(line -> line.contains(why));
    }

    private boolean isInHand(HandoffProcess server, String request) {
        return askUnchecked(server, "top", "--once").stream()
                .anyMatch(line -> line.endsWith(request));
    }

    private void serve(HandoffProcess server, int requests) throws Exception {
        RawClient client = client(server);
        for (int i = 0; i < requests; i++) {
            assertEquals(200, client.ask("/").status());
        }
    }

    private static String adminPort(HandoffProcess server) {
        String url = server.adminUrl();
        return url.substring(url.lastIndexOf(':') + 1, url.length() - 1);
    }

    /** The command with what leads to this server; its port comes last. */
    private static String[] arguments(HandoffProcess server, String... command) {
        return Stream.concat(Stream.of(command), Stream.of("--admin-port", adminPort(server)))
                .toArray(String[]::new);
    }

    private static List<String> command(HandoffProcess server, String... command) {
        return Stream.concat(
                        Stream.of(Distribution.HANDOFF.toString()),
                        Stream.of(arguments(server, command)))
                .toList();
    }

    private List<String> ask(HandoffProcess server, String... command) throws Exception {
        HandoffProcess asking = handoff(arguments(server, command));
        int code = asking.awaitExit();
        assertEquals(ExitCode.CLEAN, code, () -> asking.stderr().toString());
        return asking.stdout().all();
    }

    private List<String> askUnchecked(HandoffProcess server, String... command) {
        try {
            return ask(server, command);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    /** A loop that is slow to answer is shown as it was last. */
    private void awaitTotal(int requests, HandoffProcess server) {
        Await.until(
                requests + " requests in the statistics",
                () -> total(askUnchecked(server, "stats", "--json")) == requests);
    }

    private static int total(List<String> json) {
        JsonObject stats =
                Json.createReader(new StringReader(String.join("\n", json))).readObject();
        return stats.getJsonObject("requests").getInt("total");
    }

    private static long count(List<String> screen, String begin) {
        return screen.stream().filter(line -> line.startsWith(begin)).count();
    }

    private static boolean hasLineWith(List<String> screen, String text) {
        return screen.stream().anyMatch(line -> line.contains(text));
    }
}

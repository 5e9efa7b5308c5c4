package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One core follows another on a listening socket that somebody else holds. Nothing is lost. */
class TakeoverIT extends EndToEnd {
    private static final String WORKER = "examples-python/hello.py";
    private static final int SOME = 200;

    @TempDir private Path folder;
    private PortHolder holder;

    @BeforeEach
    void holdThePort() throws IOException {
        holder = new PortHolder(folder);
        closeAtEnd(holder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdin", "1"})
    void losesNothingWhileTwoOverlap(String how) throws Exception {
        HandoffProcess first = runOnIt(how, WORKER);
        assertEquals(holder.port(), first.port());
        try (SteadyClients clients = new SteadyClients(holder.port())) {
            clients.awaitResponses(SOME);
            HandoffProcess second = runOnIt(how, WORKER);
            awaitReady(second.adminUrl());
            clients.awaitResponses(SOME);
            first.signal("TERM");
            assertEquals(0, first.awaitExit());
            clients.awaitResponses(SOME);

            HandoffProcess third = runOnIt(how, WORKER);
            awaitReady(third.adminUrl());
            second.signal("TERM");
            assertEquals(0, second.awaitExit());
            clients.awaitResponses(SOME);
            assertTrue(clients.moved() > 0, "nobody kept a connection");
        }
    }

    /** Whoever it accepted would wait for its workers, while those of the first are idle. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "import time; time.sleep(3); import runpy; runpy.run_path('%s', run_name='__main__')",
                "raise SystemExit('broken')  # %s"
            })
    void theNextTakesNobodyBeforeItHasAWorker(String program) throws Exception {
        HandoffProcess first = runOnIt("stdin", WORKER);
        first.url();
        Path slow = folder.resolve("slow.py");
        Files.writeString(slow, program.formatted(Distribution.ROOT.resolve(WORKER)));
        try (SteadyClients clients = new SteadyClients(holder.port())) {
            clients.awaitResponses(SOME);
            HandoffProcess second = runOnIt("stdin", "--no-worker-grace", "100ms", slow.toString());
            if (program.contains("broken")) {
                assertEquals(4, second.awaitExit());
            } else {
                second.url();
                awaitReady(second.adminUrl());
                first.signal("TERM");
                assertEquals(0, first.awaitExit());
            }
            clients.awaitResponses(SOME);
        }
    }

    @Test
    void losesNothingWhenTheNextStartsAfterTheEnd() throws Exception {
        HandoffProcess first = runOnIt("stdin", WORKER);
        first.url();
        try (SteadyClients clients = new SteadyClients(holder.port())) {
            clients.awaitResponses(SOME);
            first.signal("TERM");
            assertEquals(0, first.awaitExit());
            HandoffProcess second = runOnIt("stdin", WORKER);
            clients.awaitResponses(SOME);
            second.signal("TERM");
            HandoffProcess third = runOnIt("stdin", WORKER);
            third.url();
            assertEquals(0, second.awaitExit());
            clients.awaitResponses(SOME);
        }
    }

    @ParameterizedTest
    @CsvSource({"python3, examples-python/hello.py", "node, examples-node/hello.mjs"})
    void workersThatComeByThemselvesFindTheNext(String program, String file) throws Exception {
        Path socket = folder.resolve("workers");
        HandoffProcess first = serveOnIt(socket);
        first.url();
        startWorker(socket, program, file);
        try (SteadyClients clients = new SteadyClients(holder.port())) {
            clients.awaitResponses(SOME);
            HandoffProcess second = serveOnIt(socket);
            second.url();
            first.signal("TERM");
            assertEquals(0, first.awaitExit());
            clients.awaitResponses(SOME);

            second.signal("TERM");
            assertEquals(0, second.awaitExit());
            serveOnIt(socket).url();
            clients.awaitResponses(SOME);
        }
        assertEquals(List.of(folder.resolve("port"), socket), filesOf(folder));
    }

    @Test
    void theNextWaitsForTheAdminPort() throws Exception {
        HandoffProcess first = onIt("stdin", "run", "--admin-port", "0", WORKER);
        String adminUrl = first.adminUrl();
        String adminPort = Integer.toString(URI.create(adminUrl).getPort());
        HandoffProcess second =
                onIt("stdin", "run", "--workers", "1", "--admin-port", adminPort, WORKER);
        second.url();
        second.awaitWorkers(1);
        assertTrue(Curl.run(adminUrl + "ready").hasStatus(200));
        first.signal("TERM");
        assertEquals(0, first.awaitExit());
        awaitReady(adminUrl);
    }

    @Test
    void whatNeverEndsIsCutOffWhileTheNextServes() throws Exception {
        String slow = Distribution.testWorker("announces.py");
        HandoffProcess first =
                runOnIt("stdin", "--drain-timeout", "200ms", "--cancel-grace", "0s", slow);
        RawClient held = client(first);
        held.get("/?delay=60000");
        first.stdout().await("default-1 | took /?delay=60000"::equals);
        HandoffProcess second = runOnIt("stdin", slow);
        first.signal("TERM");
        assertEquals(1, first.awaitExit());
        assertThrows(IOException.class, held::readResponse);
        assertEquals(200, client(second).ask("/").status());
        second.signal("TERM");
        assertEquals(0, second.awaitExit());
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdin", "1"})
    void keepsItsOutputAndTheSocketFromItsWorkers(String how) throws Exception {
        HandoffProcess handoff = runOnIt(how, WORKER);
        handoff.stdout().await("  on the socket that it inherited"::equals);
        long worker = handoff.awaitWorkers(1).getFirst();
        assertEquals(200, client(handoff).ask("/").status());
        assumeTrue(Files.exists(Path.of("/proc/self/fd")), "the system doesn't tell");
        assertTrue(descriptors(handoff.pid()).contains(holder.link()));
        assertFalse(descriptors(worker).contains(holder.link()));
        String environment = Files.readString(Path.of("/proc", Long.toString(worker), "environ"));
        assertFalse(environment.contains("LISTEN_"), environment);

        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
        assertTrue(handoff.stderr().all().getLast().endsWith(" stopped"));
    }

    @Test
    void twoSocketsAreOneTooMany() throws Exception {
        HandoffProcess handoff = runOnIt("2", WORKER);
        assertEquals(1, handoff.awaitExit());
        assertTrue(handoff.stderr().all().getLast().startsWith("handoff: LISTEN_FDS is 2"));
    }

    /** As the unit of systemd may name another port than the configuration does. */
    @Test
    void routesNameTheSocketByWhereItIsBound() throws Exception {
        Path config = folder.resolve("handoff.json");
        String bound = "127.0.0.1:" + holder.port();
        String routes =
                """
                {"listen": "%s", "routes": [
                  {"listen": "%s", "respond": {"status": 200, "body": "here"}}]}
                """;
        Files.writeString(config, routes.formatted("127.0.0.1:1", "127.0.0.1:1"));
        HandoffProcess refused = serveBy(config);
        assertEquals(1, refused.awaitExit());
        refused.awaitLog(
                "routes are for requests that come in at 127.0.0.1:1 (listen), and this server listens at "
                        + bound);
        Files.writeString(config, routes.formatted(bound, bound));
        assertEquals("here", client(serveBy(config)).ask("/").text());
    }

    private HandoffProcess serveBy(Path config) throws IOException {
        return onIt(
                "stdin",
                "serve",
                "--admin-port",
                "0",
                "--socket",
                folder.resolve("workers").toString(),
                "--config",
                config.toString());
    }

    private HandoffProcess runOnIt(String how, String... optionsAndFile) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "--admin-port", "0"));
        arguments.addAll(List.of("--workers", "1"));
        arguments.addAll(List.of(optionsAndFile));
        return onIt(how, arguments.toArray(String[]::new));
    }

    private HandoffProcess serveOnIt(Path socket) throws IOException {
        String path = socket.toString();
        return onIt(
                "stdin",
                "serve",
                "--admin-port",
                "0",
                "--no-worker-grace",
                "20s",
                "--socket",
                path);
    }

    private HandoffProcess onIt(String how, String... arguments) throws IOException {
        HandoffProcess process = HandoffProcess.startBy(holder.program(how), arguments);
        closeAtEnd(process);
        return process;
    }

    private static void awaitReady(String adminUrl) {
        Await.until(
                "readiness",
                () -> {
                    try {
                        return Curl.run(adminUrl + "ready").hasStatus(200);
                    } catch (IOException | InterruptedException failure) {
                        throw new IllegalStateException(failure);
                    }
                });
    }

    private static List<String> descriptors(long pid) throws IOException {
        List<String> links = new ArrayList<>();
        for (Path file : filesOf(Path.of("/proc", Long.toString(pid), "fd"))) {
            try {
                links.add(Files.readSymbolicLink(file).toString());
            } catch (IOException closedMeanwhile) {
                // As it is for whoever looks at a process that goes on.
            }
        }
        return links;
    }

    private static List<Path> filesOf(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.sorted().toList();
        }
    }
}

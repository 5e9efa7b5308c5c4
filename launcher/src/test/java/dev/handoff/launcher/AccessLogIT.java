package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessLogIT extends EndToEnd {
    private static final String TRACEPARENT =
            "Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @TempDir private Path folder;

    @Test
    void hasALineForARequestWithWhatItsWorkerDid() throws Exception {
        HandoffProcess handoff = run("--access-log", "stdout", "--workers", "1", ECHO);
        client(handoff).get("/a?b=c", "User-Agent: me \"1\"", "X-Request-Id: id-1", TRACEPARENT);
        String line = handoff.stdout().await(each -> each.startsWith("127.0.0.1 - - ["));
        assertTrue(
                line.matches(
                        "127\\.0\\.0\\.1 - - \\[.*] \"GET /a\\?b=c HTTP/1\\.1\" 200 0 \"-\""
                                + " \"me \\\\x221\\\\x22\" ms=[0-9.]+ wait=[0-9.]+ handler=[0-9.]+"
                                + " pool=default worker=default-1 id=id-1 trace=4bf92f3577b34da6a3ce929d0e0e4736 error=-"),
                line);
    }

    @Test
    void namesWhyARequestGotNoResponseOfAHandler() throws Exception {
        Path log = folder.resolve("access.log");
        HandoffProcess handoff =
                run(
                        "--access-log",
                        log.toString(),
                        "--log-format",
                        "json",
                        "--request-timeout",
                        "300ms",
                        ECHO);
        int port = JsonLog.port(handoff);
        RawResponse refusal;
        try (RawClient refused = new RawClient(port)) {
            refused.send("GET /refused HTTP/1.1\r\nHost: a b\r\n\r\n");
            refusal = refused.readResponse();
            assertEquals(400, refusal.status());
        }
        JsonObject refused = awaitEntry(log, entry -> entry.containsKey("error"));
        assertEquals("bad_host", refused.getString("error"));
        assertEquals("/refused", refused.getString("target"));
        assertEquals(400, refused.getInt("status"));
        assertEquals(refusal.text().length(), refused.getInt("bodyBytes"));
        assertFalse(refused.containsKey("pool"));

        try (RawClient late = new RawClient(port)) {
            assertEquals(504, late.ask("/late?delay=5000").status());
        }
        JsonObject late = awaitEntry(log, entry -> entry.getInt("status") == 504);
        assertEquals("deadline", late.getString("error"));
        assertEquals("default", late.getString("pool"));
        assertTrue(late.getJsonNumber("durationMillis").doubleValue() >= 300, late.toString());
    }

    @Test
    void tellsOfAClientThatLeft() throws Exception {
        Path log = folder.resolve("access.log");
        HandoffProcess handoff =
                run("--access-log", log.toString(), Distribution.testWorker("announces.py"));
        try (RawClient impatient = new RawClient(handoff.port())) {
            impatient.get("/slow?delay=60000");
            handoff.stdout().await(line -> line.endsWith("took /slow?delay=60000"));
        }
        Await.until("a line", () -> !lines(log).isEmpty());
        String line = lines(log).getFirst();
        assertTrue(line.contains("\"GET /slow?delay=60000 HTTP/1.1\" 499 0 "), line);
        assertTrue(line.endsWith(" error=client_gone"), line);
    }

    @Test
    void tellsOfAClientThatLeftInTheHeadOfItsRequest() throws Exception {
        Path log = folder.resolve("access.log");
        HandoffProcess handoff = run("--access-log", log.toString(), ECHO);
        try (RawClient impatient = new RawClient(handoff.port())) {
            impatient.send("GET /half HTTP/1.1\r\nHost: a\r\nX-");
        }
        Await.until("a line", () -> !lines(log).isEmpty());
        String line = lines(log).getFirst();
        assertTrue(line.contains("\"GET /half\" 499 0 "), line);
        assertTrue(line.endsWith(" pool=- worker=- id=- trace=- error=client_gone"), line);
    }

    @Test
    void losesNoLineWhenItsFileIsRotatedUnderLoad() throws Exception {
        Path log = folder.resolve("access.log");
        HandoffProcess handoff = run("--access-log", log.toString(), ECHO);
        LastingClients clients = new LastingClients(4, handoff.port(), "/");
        closeAtEnd(clients);
        for (int i = 1; i <= 3; i++) {
            clients.awaitMore(200);
            Await.until("a line", () -> !lines(log).isEmpty());
            Files.move(log, folder.resolve("access.log." + i));
            handoff.signal("USR2");
            Await.until("a new file", () -> Files.exists(log));
        }
        clients.awaitMore(200);
        assertEquals(List.of(), clients.end());
        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
        int written = lines(log).size();
        for (int i = 1; i <= 3; i++) {
            int rotated = lines(folder.resolve("access.log." + i)).size();
            assertTrue(rotated > 0);
            written += rotated;
        }
        assertEquals(clients.responses(), written);
    }

    @Test
    void aReaderThatStopsHoldsUpNoRequestAndNoEnd() throws Exception {
        Path pipe = folder.resolve("pipe");
        assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0,
                "no named pipes here");
        try (RandomAccessFile neverRead = new RandomAccessFile(pipe.toFile(), "rw")) {
            HandoffProcess handoff = run("--access-log", pipe.toString(), ECHO);
            LastingClients clients = new LastingClients(4, handoff.port(), "/");
            closeAtEnd(clients);
            // A pipe holds 64 KiB, and each of these has a line of more than 100 bytes.
            clients.awaitMore(2000);
            assertEquals(List.of(), clients.end());
            handoff.signal("TERM");
            assertEquals(0, handoff.awaitExit());
            assertTrue(neverRead.getFD().valid());
        }
    }

    @Test
    void tellsOnceThatTheDiskIsFullAndServesOn() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "this system has no /dev/full");
        HandoffProcess handoff = run("--access-log", "/dev/full", ECHO);
        RawClient client = client(handoff);
        assertEquals(200, client.ask("/").status());
        Predicate<String> full = line -> line.contains("the access log cannot be written");
        handoff.stderr().await(full);
        for (int i = 0; i < 50; i++) {
            assertEquals(200, client.ask("/").status());
        }
        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
        assertEquals(1, handoff.stderr().all().stream().filter(full).count());
        handoff.stderr()
                .await(line -> line.endsWith("could not be written; lines dropped at the end: 51"));
    }

    @Test
    void tellsHowManyLinesAFullDiskCost() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "this system has no /dev/full");
        Path log = Files.createSymbolicLink(folder.resolve("log"), Path.of("/dev/full"));
        HandoffProcess handoff = run("--access-log", log.toString(), ECHO);
        RawClient client = client(handoff);
        assertEquals(200, client.ask("/").status());
        handoff.stderr().await(line -> line.contains("the access log cannot be written"));
        assertEquals(200, client.ask("/").status());
        assertEquals(200, client.ask("/").status());
        Await.until("three lines that were dropped", () -> droppedLines(handoff) == 3);
        Files.delete(log);
        handoff.signal("USR2");
        Await.until("a new file", () -> Files.exists(log));
        assertEquals(200, client.ask("/").status());
        handoff.stderr()
                .await(line -> line.endsWith("is written again; lines dropped until then: 3"));
        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
        assertFalse(
                handoff.stderr().all().stream()
                        .anyMatch(line -> line.contains("not read fast enough")));
    }

    @Test
    void doesNotStartWithoutTheFileItIsToldToWrite() throws Exception {
        HandoffProcess handoff =
                run("--access-log", folder.resolve("none/access.log").toString(), ECHO);
        assertEquals(ExitCode.FAILED, handoff.awaitExit());
        List<String> said = handoff.stderr().all();
        assertEquals(1, said.size(), said.toString());
        assertTrue(said.getFirst().contains("its folder does not exist"), said.toString());
    }

    @Test
    void aServerWithoutAnAccessLogOutlivesTheSignal() throws Exception {
        HandoffProcess handoff = run(ECHO);
        assertEquals(200, client(handoff).ask("/").status());
        handoff.signal("USR2");
        handoff.stderr().await(line -> line.contains("there is no access log to open anew"));
        assertEquals(200, client(handoff).ask("/").status());
    }

    private static JsonObject awaitEntry(Path log, Predicate<JsonObject> wanted) {
        Await.until(
                () -> "an entry, of which there are " + lines(log),
                () -> lines(log).stream().map(JsonLog::read).anyMatch(wanted));
        return lines(log).stream().map(JsonLog::read).filter(wanted).findFirst().orElseThrow();
    }

    private static int droppedLines(HandoffProcess handoff) {
        String metric = "handoff_log_lines_dropped_total{log=\"access\",} ";
        try {
            return Curl.run(handoff.adminUrl() + "metrics")
                    .output()
                    .lines()
                    .filter(line -> line.startsWith(metric))
                    .mapToInt(line -> (int) Double.parseDouble(line.substring(metric.length())))
                    .sum();
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Those that are whole. */
    private static List<String> lines(Path log) {
        try {
            String written = Files.exists(log) ? Files.readString(log) : "";
            return written.substring(0, written.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }
}

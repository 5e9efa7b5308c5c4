package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How it ends when it is told to. */
class StopIT extends EndToEnd {
    private static final long INTERRUPT_BIT = 1 << (2 - 1);
    private static final String WORKER = Distribution.testWorker("announces.py");

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void finishesWhatIsInHandAndLeavesNothingBehind(String signal) throws Exception {
        assumeFalse(signal.equals("INT") && isInterruptIgnored(), "INT is ignored here");
        HandoffProcess handoff = run("--workers", "2", WORKER);
        Path socket = socketOf(handoff);
        assertTrue(Files.exists(socket));
        List<Long> workers = handoff.awaitWorkers(2);
        RawClient idle = client(handoff);
        assertEquals(200, idle.ask("/idle").status());
        RawClient slow = client(handoff);
        slow.get("/slow?held");
        handoff.stdout().await(line -> line.endsWith("| took /slow?held"));

        handoff.signal(signal);
        Await.until("the end of accepting", () -> !accepts(handoff));
        handoff.release("/slow?held");
        RawResponse response = slow.readResponse();
        assertEquals(200, response.status());
        assertEquals("close", response.header("connection"));
        assertEquals(0, handoff.awaitExit());
        assertFalse(Files.exists(socket));
        assertFalse(Files.exists(socket.getParent()));
        HandoffProcess.awaitGone(workers);
    }

    @Test
    void isNotReadyFromTheFirstMomentOfADrain() throws Exception {
        HandoffProcess handoff = run("--workers", "1", WORKER);
        String ready = handoff.adminUrl() + "ready";
        RawClient slow = client(handoff);
        slow.get("/slow?held");
        handoff.stdout().await("default-1 | took /slow?held"::equals);
        assertTrue(Curl.run(ready).hasStatus(200));

        handoff.signal("TERM");
        Await.until("the end of accepting", () -> !accepts(handoff));
        assertTrue(Curl.run(ready).output().endsWith("the server is draining\n"));
        handoff.release("/slow?held");
        assertEquals(200, slow.readResponse().status());
    }

    @Test
    void cutsOffWhatTakesLongerThanTheLimitAndSaysSo() throws Exception {
        HandoffProcess handoff =
                run("--workers", "1", "--drain-timeout", "200ms", "--cancel-grace", "0s", WORKER);
        List<Long> workers = handoff.awaitWorkers(1);
        client(handoff).get("/slow?delay=60000");
        handoff.stdout().await("default-1 | took /slow?delay=60000"::equals);
        handoff.signal("TERM");
        assertEquals(1, handoff.awaitExit());
        HandoffProcess.awaitGone(workers);
    }

    /** They may be asked for to the last, as by {@code handoff drain --wait}. */
    @Test
    void responsesOfTheAdminServerAreNoneThatItOwes() throws Exception {
        HandoffProcess handoff = run("--workers", "1", WORKER);
        int adminPort = URI.create(handoff.adminUrl()).getPort();
        try (RawClient operator = new RawClient(adminPort, 4096)) {
            operator.send("GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(200));
            assertEquals(200, operator.readHead().status());
            handoff.signal("TERM");
            assertEquals(0, handoff.awaitExit());
        }
    }

    @Test
    void stopsAtOnceOnTheSecondSignal() throws Exception {
        HandoffProcess handoff = run("--workers", "1", WORKER);
        Path socket = socketOf(handoff);
        List<Long> workers = handoff.awaitWorkers(1);
        client(handoff).get("/slow?delay=60000");
        handoff.stdout().await("default-1 | took /slow?delay=60000"::equals);
        handoff.signal("TERM");
        Await.until("the end of accepting", () -> !accepts(handoff));
        handoff.signal("TERM");
        assertEquals(1, handoff.awaitExit());
        HandoffProcess.awaitGone(workers);
        assertFalse(Files.exists(socket.getParent()));
    }

    @Test
    void endsWorkersThatIgnoreBeingAsked() throws Exception {
        HandoffProcess handoff =
                run(
                        "--workers",
                        "1",
                        "--",
                        "sh",
                        "-c",
                        "trap '' TERM; echo on; while :; do :; done");
        List<Long> workers = handoff.awaitWorkers(1);
        handoff.stdout().await("default-1 | on"::equals);
        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
        HandoffProcess.awaitGone(workers);
    }

    private static Path socketOf(HandoffProcess handoff) {
        String said = "default-1 | socket ";
        return Path.of(
                handoff.stdout().await(line -> line.startsWith(said)).substring(said.length()));
    }

    /** As in a script's background jobs: then it is ignored by what these start, too. */
    static boolean isInterruptIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return false;
        }
        String ignored = "SigIgn:";
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(ignored))
                .map(line -> Long.parseUnsignedLong(line.substring(ignored.length()).strip(), 16))
                .anyMatch(signals -> (signals & INTERRUPT_BIT) != 0);
    }

    private static boolean accepts(HandoffProcess handoff) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), handoff.port())) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }
}

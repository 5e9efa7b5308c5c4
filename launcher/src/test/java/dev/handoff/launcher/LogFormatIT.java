package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import jakarta.json.JsonObject;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFormatIT extends EndToEnd {
    private static final String TELLS_FRAME = Distribution.testWorker("tells_frame.py");

    @Test
    void asJsonEveryLineIsAnObjectAlsoThoseOfWorkers() throws Exception {
        HandoffProcess handoff =
                run(
                        "--log-format",
                        "json",
                        "--access-log",
                        "stdout",
                        "--workers",
                        "1",
                        TELLS_FRAME);
        try (RawClient client = new RawClient(JsonLog.port(handoff))) {
            assertEquals(200, client.ask("/%1b%5B2J%22%0dx").status());
        }
        handoff.stdout().await(line -> line.contains("\"type\":\"access\""));
        handoff.stdout().await(line -> line.contains("\"type\":\"output\""));
        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());

        List<JsonObject> stdout = handoff.stdout().all().stream().map(JsonLog::read).toList();
        // The worker's pipe and the access log have a thread each.
        assertEquals(
                List.of("access", "log", "output"),
                stdout.stream().map(each -> each.getString("type")).sorted().toList());
        JsonObject output =
                stdout.stream()
                        .filter(each -> each.getString("type").equals("output"))
                        .findFirst()
                        .orElseThrow();
        assertEquals("/\33[2J\"\rx", output.getString("message"));
        assertEquals("default", output.getString("pool"));
        assertEquals("default-1", output.getString("worker"));
        assertEquals("stdout", output.getString("stream"));

        List<JsonObject> stderr = handoff.stderr().all().stream().map(JsonLog::read).toList();
        JsonObject connected =
                stderr.stream()
                        .filter(each -> each.getString("message").contains("is connected"))
                        .findFirst()
                        .orElseThrow();
        assertEquals("info", connected.getString("level"));
        assertEquals("default-1", connected.getString("worker"));
        assertTrue(connected.getString("time").matches("....-..-..T..:..:..\\....Z"));
    }

    @Test
    void asTextAWorkerCannotMoveTheTerminal() throws Exception {
        HandoffProcess handoff = run("--workers", "1", TELLS_FRAME);
        assertEquals(200, client(handoff).ask("/%1b%5B2J%1b%5B31mred").status());
        handoff.stdout().await("default-1 | /\\u001b[2J\33[31mred\33[0m"::equals);
    }

    @Test
    void anErrorAboutARequestNamesItsId() throws Exception {
        HandoffProcess handoff = run("--log-format", "json", "--request-timeout", "200ms", ECHO);
        try (RawClient client = new RawClient(JsonLog.port(handoff))) {
            client.get("/?delay=5000", "X-Request-Id: id-1");
            assertEquals(504, client.readResponse().status());
        }
        String line = handoff.stderr().await(each -> each.contains("got no response in time"));
        assertEquals("id-1", JsonLog.read(line).getString("requestId"));
        assertEquals(
                "GET / (id-1) got no response in time: 504 deadline (--request-timeout)",
                JsonLog.read(line).getString("message"));
    }

    @Test
    void aLogThatNobodyReadsKeepsNoWorkerWaiting(@TempDir Path folder) throws Exception {
        Path pipe = folder.resolve("stderr");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Path handler =
                Files.writeString(
                        folder.resolve("talks.py"),
                        """
                        import sys
                        from handoff_worker import Response, serve

                        def talk(request):
                            for _ in range(5000):
                                print("x" * 100, file=sys.stderr)
                            return Response("told\\n")

                        serve(talk)
                        """);
        // Opened for both, so that neither side waits for the other to open it.
        try (RandomAccessFile neverRead = new RandomAccessFile(pipe.toFile(), "rw")) {
            HandoffProcess handoff =
                    HandoffProcess.startBy(
                            List.of("sh", "-c", "exec \"$0\" \"$@\" 2>'" + pipe + "'"),
                            "run",
                            "--port",
                            "0",
                            "--admin-port",
                            "0",
                            handler.toString());
            closeAtEnd(handoff);
            for (int i = 0; i < 3; i++) {
                assertEquals("told\n", client(handoff).ask("/").text());
            }
            String metrics = Curl.run(handoff.adminUrl() + "metrics").output();
            assertTrue(
                    metrics.lines()
                            .anyMatch(line ->
                                    line.matches(
                                            "handoff_log_lines_dropped_total\\{log=\"server\",} [1-9].*")),
                    metrics);
            assertTrue(neverRead.getFD().valid());
        }
    }
}

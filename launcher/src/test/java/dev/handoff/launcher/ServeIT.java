package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers that somebody else starts. */
class ServeIT extends EndToEnd {
    private static final String EXTERNAL = "examples-python/external.py";

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "python3, examples-python/hello.py",
        "python3, examples-python/external.py",
        "node, examples-node/hello.mjs"
    })
    void servesWithAWorkerThatComesAndComesBack(String program, String file) throws Exception {
        Path socket = folder.resolve("handoff.sock");
        HandoffProcess first = serve(socket);
        first.url();
        startWorker(socket, program, file);
        assertEquals(200, client(first).ask("/").status());

        first.signal("TERM");
        assertEquals(0, first.awaitExit());
        assertFalse(Files.exists(socket));

        HandoffProcess second = serve(socket);
        assertEquals(200, client(second).ask("/").status());
    }

    @ParameterizedTest
    @CsvSource({"python3, examples-python/hello.py", "node, examples-node/hello.mjs"})
    void takesOverTheSocketOfAKilledPredecessor(String program, String file) throws Exception {
        Path socket = folder.resolve("handoff.sock");
        HandoffProcess first = serve(socket);
        first.url();
        startWorker(socket, program, file);
        assertEquals(200, client(first).ask("/").status());

        first.signal("KILL");
        first.awaitExit();

        HandoffProcess second = serve(socket);
        assertEquals(200, client(second).ask("/").status());
    }

    @Test
    void aWorkerJoinsThePoolThatItNamesAndDrainsWithoutALostRequest() throws Exception {
        Path socket = folder.resolve("handoff.sock");
        Path file =
                Files.writeString(
                        folder.resolve("handoff.json"),
                        """
                        {"socket": "handoff.sock", "pools": {
                          "a": {"routes": [{"path": "/"}]},
                          "b": {"routes": [{"path": "/b"}]}}}
                        """);
        HandoffProcess handoff =
                handoff("serve", "--config", file.toString(), "--port", "0", "--admin-port", "0");
        handoff.url();
        startWorker(socket, "python3", EXTERNAL, Map.of("HANDOFF_POOL", "a"));
        Process first = startWorker(socket, "python3", EXTERNAL, Map.of("HANDOFF_POOL", "b"));
        assertEquals("a\n", client(handoff).ask("/").text());
        assertEquals("b\n", client(handoff).ask("/b").text());

        try (LastingClients clients = new LastingClients(4, handoff.port(), "/b?delay=5")) {
            clients.awaitMore(20);
            startWorker(socket, "python3", EXTERNAL, Map.of("HANDOFF_POOL", "b"));
            // In quotes, since a worker may say of itself what it likes.
            Pattern connected =
                    Pattern.compile(
                            "b-external-2 is connected \\(\"external.py\", process .*, host \"");
            handoff.stderr().await(line -> connected.matcher(line).find());
            first.destroy();
            assertEquals(0, first.waitFor());
            clients.awaitMore(20);
            assertEquals(List.of(), clients.end());
        }
        handoff.stderr().await(line -> line.contains("b-external-1 has finished and left"));
    }

    @Test
    void aWorkerOfAnUnknownPoolIsToldSo() throws Exception {
        Path socket = folder.resolve("handoff.sock");
        HandoffProcess handoff = serve(socket);
        handoff.url();
        startWorker(socket, "python3", EXTERNAL, Map.of("HANDOFF_POOL", "x"));
        handoff.stderr().await(line -> line.contains("unknown_pool"));
    }

    private HandoffProcess serve(Path socket) throws IOException {
        return handoff(
                "serve", "--port", "0", "--no-worker-grace", "20s", "--socket", socket.toString());
    }
}

package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workers that somebody else starts. */
class ServeIT extends EndToEnd {
    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({"python3, examples-python/hello.py", "node, examples-node/hello.mjs"})
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

    private HandoffProcess serve(Path socket) throws IOException {
        return handoff(
                "serve", "--port", "0", "--no-worker-grace", "20s", "--socket", socket.toString());
    }
}

package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits is served, as long as nothing is short that an operator wanted to be. */
class QueueIT extends EndToEnd {
    private static final String EXTERNAL = "examples-python/external.py";
    private static final int UPLOADS = 24;
    private static final int UPLOAD_BYTES = 8_000_000;

    @TempDir private Path folder;

    /** More bytes than a socket takes are no overload, though all but one upload have to wait. */
    @Test
    void servesUploadsThatComeAtOnce() throws Exception {
        HandoffProcess handoff =
                run(
                        "--workers",
                        "1",
                        "--concurrency",
                        "64",
                        "--max-buffered",
                        "1GiB",
                        "--queue-timeout",
                        "1m",
                        "examples-python/hello.py");
        assertEquals(200, client(handoff).ask("/").status());
        String body = "x".repeat(UPLOAD_BYTES);
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> responses = new ArrayList<>();
            for (int i = 0; i < UPLOADS; i++) {
                responses.add(clients.submit(() -> upload(handoff, body)));
            }
            for (Future<String> response : responses) {
                assertEquals("200 ", response.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS));
            }
        }
    }

    /** As when Compose restarts a service: until the new worker is there, none is. */
    @ParameterizedTest
    @ValueSource(ints = {200, 1000})
    void losesNoRequestWhileAllWorkersAreReplaced(int clients) throws Exception {
        Path socket = folder.resolve("handoff.sock");
        HandoffProcess handoff =
                handoff(
                        "serve",
                        "--port",
                        "0",
                        "--admin-port",
                        "0",
                        "--no-worker-grace",
                        "1m",
                        "--queue-timeout",
                        "1m",
                        "--socket",
                        socket.toString());
        handoff.url();
        try (Load load = new Load(clients, handoff.port())) {
            Process first = startWorker(socket, "python3", EXTERNAL, Map.of());
            load.awaitMore(2 * clients);
            first.destroy();
            assertEquals(0, first.waitFor());
            startWorker(socket, "python3", EXTERNAL, Map.of());
            load.awaitMore(2 * clients);
            load.assertOnly(Set.of("default\n"), "responses of " + clients + " clients");
        }
    }

    private static String upload(HandoffProcess handoff, String body) throws IOException {
        try (RawClient client = new RawClient(handoff.port())) {
            client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
                            .formatted(body.length()));
            client.send(body);
            RawResponse response = client.readResponse();
            return response.status() + " " + response.header("handoff-error");
        }
    }
}

package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients that take all the memory or all the places there are, while others want to be served. */
@Isolated("it takes all the processor time that there is")
class CrowdIT extends EndToEnd {
    private static final Map<String, String> SMALL_HEAP = Map.of("HANDOFF_JAVA_OPTS", "-Xmx128m");

    /** With the small heap two of them, as far as they have come, fill what requests may take. */
    private static final int SLOW_BYTES = 8 * 1024 * 1024;

    private static final int COME_BYTES = 7 * 1024 * 1024;
    private static final int UPLOAD_BYTES = 100_000;
    private static final int LARGE_BYTES = 2 * 1024 * 1024;
    private static final int PLACES = 40;

    /** Where no file can be made, so that all content stays in memory. */
    private static final String NO_FILES = "/proc";

    @Test
    void slowUploadsKeepNobodysBodiesOut() throws Exception {
        HandoffProcess handoff =
                handoff(
                        SMALL_HEAP,
                        "run",
                        "--port",
                        "0",
                        "--admin-port",
                        "0",
                        "--loops",
                        "1",
                        "--max-body-in-memory",
                        "8MiB",
                        "--spool-directory",
                        NO_FILES,
                        ECHO);
        RawClient normal = client(handoff);
        assertEquals(200, upload(normal, UPLOAD_BYTES).status());
        List<RawClient> slow = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            slow.add(beginUpload(handoff));
        }
        Await.until("full buffers", () -> handoff.metric("handoff_buffered_bytes") > COME_BYTES);
        for (int i = 0; i < 200; i++) {
            assertEquals(200, upload(normal, UPLOAD_BYTES).status(), "upload " + i);
            trickle(slow);
        }
        // A large one finds room when one of the others has made no headway for a second.
        Await.until(
                "room for a large upload",
                () -> {
                    trickle(slow);
                    return isTaken(handoff, LARGE_BYTES);
                });
        assertTrue(handoff.metric("handoff_requests_evicted_total") > 0);
    }

    @Test
    void slowUploadsKeepNobodysLargeOnesOutOfTheFiles() throws Exception {
        HandoffProcess handoff = run("--max-spooled", "60MiB", ECHO);
        List<RawClient> slow = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            slow.add(beginUpload(handoff));
        }
        double most = 8.0 * COME_BYTES;
        Await.until("full files", () -> handoff.metric("handoff_spooled_bytes") > most * 0.9);
        RawClient normal = client(handoff);
        assertEquals(200, upload(normal, UPLOAD_BYTES).status());
        Await.until(
                "room for a large upload",
                () -> {
                    trickle(slow);
                    return isTaken(handoff, SLOW_BYTES - 1);
                });
        assertTrue(handoff.metric("handoff_spool_full_total") > 0);
    }

    @Test
    void idleConnectionsKeepNobodyOut() throws Exception {
        HandoffProcess handoff = run("--max-connections", Integer.toString(PLACES), ECHO);
        for (int i = 0; i < 2 * PLACES; i++) {
            var _ = client(handoff);
        }
        for (int i = 0; i < 2 * PLACES; i++) {
            assertEquals(200, client(handoff).ask("/").status(), "client " + i);
        }
        assertTrue(handoff.metric("handoff_connections_closed_total{reason=\"evicted\",}") > 0);
        assertTrue(handoff.metric("handoff_connections_open") <= PLACES);
    }

    @Test
    void requestsThatStopKeepNobodyOut() throws Exception {
        HandoffProcess handoff = run("--max-connections", Integer.toString(PLACES), ECHO);
        for (int i = 0; i < 2 * PLACES; i++) {
            client(handoff).send(i % 2 == 0 ? "G" : post(SLOW_BYTES));
        }
        for (int i = 0; i < 2 * PLACES; i++) {
            assertEquals(200, client(handoff).ask("/").status(), "client " + i);
        }
        assertTrue(handoff.metric("handoff_requests_evicted_total") > 0);
        assertTrue(handoff.metric("handoff_connections_open") <= PLACES);
    }

    @Test
    void oneClientMayHaveOnlySoManyConnections() throws Exception {
        HandoffProcess handoff = run("--max-connections-per-client", "2", ECHO);
        RawClient first = client(handoff);
        RawClient second = client(handoff);
        assertEquals(200, first.ask("/").status());
        assertEquals(200, second.ask("/").status());
        Await.until("a connection is refused", () -> !isTaken(handoff, 1));
        assertEquals(1, handoff.metric("handoff_client_limit_refusals_total"));
        second.close();
        Await.until("a connection is taken", () -> isTaken(handoff, 1));
    }

    /** Whether an upload on a connection of its own is answered 200. */
    private static boolean isTaken(HandoffProcess handoff, int bytes) {
        try (RawClient client = new RawClient(handoff.port())) {
            return upload(client, bytes).status() == 200;
        } catch (IOException closed) {
            return false;
        }
    }

    private RawClient beginUpload(HandoffProcess handoff) throws IOException {
        RawClient client = client(handoff);
        client.send(post(SLOW_BYTES));
        try {
            client.send("x".repeat(COME_BYTES));
        } catch (IOException refusedMeanwhile) {
            // There was no room for it at all.
        }
        return client;
    }

    /** A byte of each upload, far less than anybody's line carries. */
    private static void trickle(List<RawClient> clients) {
        for (RawClient client : clients) {
            try {
                client.send("x");
            } catch (IOException endedMeanwhile) {
                // It had to go, which is what the others look at.
            }
        }
    }

    private static RawResponse upload(RawClient client, int bytes) throws IOException {
        client.send(post(bytes));
        client.send("x".repeat(bytes));
        return client.readResponse();
    }

    private static String post(int bytes) {
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n".formatted(bytes);
    }
}

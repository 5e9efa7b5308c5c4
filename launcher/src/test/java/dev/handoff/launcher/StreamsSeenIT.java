package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators see of responses in pieces: with a raw worker that sends events. */
class StreamsSeenIT extends EndToEnd {
    private static final String CLOCK = "examples-python/events.py";

    @TempDir private Path folder;

    @Test
    void theyAreCountedListedAndLoggedWhenTheyEnd() throws Exception {
        Path log = folder.resolve("access.log");
        HandoffProcess handoff = run("--access-log", log.toString(), "--workers", "1", CLOCK);
        RawClient leaving = listen(handoff);
        RawClient staying = listen(handoff);

        JsonObject open = streams(handoff);
        assertEquals(2, open.getInt("begun"));
        assertEquals(2, open.getInt("open"));
        List<JsonObject> requests =
                handoff.admin("requests").getJsonArray("requests").getValuesAs(JsonObject.class);
        assertEquals(2, requests.size());
        for (JsonObject request : requests) {
            assertEquals("streaming", request.getString("state"));
            assertEquals("/clock", request.getString("target"));
            assertTrue(request.getInt("streamedBytes") > 0, request.toString());
            assertTrue(request.getJsonNumber("ageMillis").doubleValue() > 0);
        }
        assertEquals(2, handoff.metric("handoff_streams_open"));
        assertEquals(0, lines(log).size());

        leaving.reset();
        awaitOpen(handoff, 1);
        HandoffProcess.signal("KILL", handoff.awaitWorkers(1).getFirst());
        awaitOpen(handoff, 0);
        assertTrue(staying.readToEnd().startsWith("data: "));

        JsonObject ended = streams(handoff);
        assertTrue(ended.getInt("bytes") > 0, ended.toString());
        assertEquals(1, ended.getJsonObject("ended").getInt("client_gone"));
        assertEquals(1, ended.getJsonObject("ended").getInt("failed"));
        assertEquals(2, handoff.metric("handoff_stream_duration_seconds_count"));
        assertEquals(1, handoff.metric("handoff_streams_ended_total{reason=\"failed\",}"));
        Await.until("their lines", () -> lines(log).size() == 2);
        assertTrue(lines(log).getFirst().contains("\"GET /clock HTTP/1.1\" 200 "));
        assertTrue(lines(log).getFirst().endsWith(" error=client_gone"), lines(log).getFirst());
        assertTrue(lines(log).getLast().endsWith(" error=failed"), lines(log).getLast());
    }

    /** A client that has got an event. */
    private RawClient listen(HandoffProcess handoff) throws IOException {
        RawClient client = client(handoff);
        client.get("/clock").readHead();
        client.read("10\r\n".length());
        return client;
    }

    private static JsonObject streams(HandoffProcess handoff) {
        return handoff.admin("stats").getJsonObject("streams");
    }

    private static void awaitOpen(HandoffProcess handoff, int count) {
        Await.until(count + " open", () -> streams(handoff).getInt("open") == count);
    }

    private static List<String> lines(Path log) {
        try {
            return Files.readAllLines(log);
        } catch (IOException notThere) {
            return List.of();
        }
    }
}

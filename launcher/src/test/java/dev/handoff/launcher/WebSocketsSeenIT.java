package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators see of WebSockets: with a raw worker that echoes, and the JDK's own client. */
class WebSocketsSeenIT extends EndToEnd {
    private static final String ECHO_MESSAGES = "conformance/autobahn/echo.py";

    @TempDir private Path folder;

    /** Notes each message and how it ends. */
    private static final class Heard implements WebSocket.Listener {
        final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket socket, CharSequence text, boolean last) {
            events.add(text.toString());
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            events.add("closed " + code);
            return null;
        }

        void await(String expected) throws InterruptedException {
            assertEquals(expected, events.poll(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void theyAreCountedListedAndLogged() throws Exception {
        Path log = folder.resolve("access.log");
        HandoffProcess handoff =
                run(
                        "--access-log",
                        log.toString(),
                        "--trusted-proxy",
                        "127.0.0.1",
                        "--workers",
                        "1",
                        ECHO_MESSAGES);
        handoff.awaitWorkers(1);
        Heard first = new Heard();
        Heard second = new Heard();
        HttpClient client = HttpClient.newHttpClient();
        closeAtEnd(client::shutdownNow);
        WebSocket one = open(client, handoff, first);
        WebSocket other = open(client, handoff, second);
        one.sendText("grüße", true).join();
        first.await("grüße");

        JsonObject open = stats(handoff);
        assertEquals(2, open.getInt("opened"));
        assertEquals(2, open.getInt("open"));
        assertEquals(1, open.getInt("messagesIn"));
        assertEquals(1, open.getInt("messagesOut"));
        assertEquals(7, open.getInt("bytesIn"));
        assertEquals(7, open.getInt("bytesOut"));
        JsonArray requests = json(handoff, "requests").getJsonArray("requests");
        assertEquals(2, requests.size());
        for (JsonObject request : requests.getValuesAs(JsonObject.class)) {
            assertEquals("websocket", request.getString("state"));
            assertEquals("/chat", request.getString("target"));
            assertEquals("203.0.113.7:0", request.getString("client"));
            assertEquals("an-id", request.getString("id"));
            assertTrue(request.getJsonNumber("ageMillis").doubleValue() > 0);
        }
        String metrics = Curl.run(handoff.adminUrl() + "metrics").output();
        assertTrue(metrics.contains("\nhandoff_websockets_open 2"), metrics);
        assertTrue(metrics.contains("\nhandoff_websocket_messages_received_total 1"), metrics);

        one.sendClose(1000, "").join();
        first.await("closed 1000");
        other.sendClose(4001, "lunch").join();
        second.await("closed 4001");
        Await.until("two closed", () -> openNow(handoff) == 0);
        JsonObject closed = stats(handoff).getJsonObject("closed");
        assertEquals(1, closed.getInt("1000"));
        assertEquals(1, closed.getInt("4xxx"));
        Await.until("their lines", () -> lines(log).size() == 2);
        for (String line : lines(log)) {
            assertTrue(line.startsWith("203.0.113.7 - - ["), line);
            assertTrue(line.contains(" worker=default-1 id=an-id "), line);
        }
        assertEquals(1, count(log, "\"GET /chat HTTP/1.1\" 101 7 ", " error=-"));
        assertEquals(1, count(log, "\"GET /chat HTTP/1.1\" 101 0 ", " error=websocket_4001"));
    }

    private static long count(Path log, String part, String end) {
        return lines(log).stream()
                .filter(line -> line.contains(part) && line.endsWith(end))
                .count();
    }

    private static WebSocket open(HttpClient client, HandoffProcess handoff, Heard heard) {
        URI address = URI.create("ws://127.0.0.1:" + handoff.port() + "/chat");
        return client.newWebSocketBuilder()
                .header("X-Forwarded-For", "203.0.113.7")
                .header("X-Request-Id", "an-id")
                .buildAsync(address, heard)
                .join();
    }

    private static int openNow(HandoffProcess handoff) {
        try {
            return stats(handoff).getInt("open");
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private static List<String> lines(Path log) {
        try {
            return Files.readAllLines(log);
        } catch (IOException notThere) {
            return List.of();
        }
    }

    private static JsonObject stats(HandoffProcess handoff)
            throws IOException, InterruptedException {
        return json(handoff, "stats").getJsonObject("webSockets");
    }

    private static JsonObject json(HandoffProcess handoff, String path)
            throws IOException, InterruptedException {
        String output = Curl.run(handoff.adminUrl() + path).output();
        return parse(output.substring(output.indexOf("\r\n\r\n")));
    }

    private static JsonObject parse(String text) {
        return Json.createReader(new StringReader(text)).readObject();
    }
}

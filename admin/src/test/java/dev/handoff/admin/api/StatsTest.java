package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.admin.stats.ServedCertificate;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code /stats} tells, of real workers and clients. */
@Tag("processes")
@Timeout(60)
class StatsTest {
    /** What {@link RunningAdmin#ask} sends. */
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    private RunningAdmin admin;

    @BeforeEach
    void start() throws Exception {
        admin = RunningAdmin.start();
        admin.supervise(1, 2);
        admin.awaitReady();
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
    }

    @Test
    void countsWhatClientsGotAndWorkersDid() throws Exception {
        for (int i = 0; i < 3; i++) {
            ask("/");
        }
        JsonObject stats = admin.stats();
        JsonObject requests = stats.getJsonObject("requests");
        assertEquals(3, requests.getInt("total"));
        assertEquals(0, requests.getInt("inFlight"));
        assertEquals(3, requests.getJsonObject("byStatus").getInt("2xx"));
        assertEquals(3, requests.getJsonObject("latencyMillis").getInt("count"));
        assertEquals(3 * REQUEST.length(), requests.getInt("bytesIn"));
        JsonObject pool = stats.getJsonArray("pools").getJsonObject(0);
        assertEquals(3, pool.getJsonObject("requests").getInt("dispatched"));
        assertEquals(3, pool.getJsonObject("requests").getInt("responses"));
        assertEquals(3, pool.getJsonObject("handlerMillis").getInt("count"));
        assertEquals(1, pool.getJsonObject("workers").getInt("ready"));
        JsonObject worker = stats.getJsonArray("workers").getJsonObject(0);
        assertEquals("default-1", worker.getString("id"));
        assertEquals(3, worker.getInt("requests"));
        assertEquals(3, stats.getJsonArray("loops").getJsonObject(0).getInt("requests"));
    }

    @Test
    void showsWhatWaitsAndWhatIsHeld() throws Exception {
        for (int i = 0; i < 3; i++) {
            admin.ask("/held");
        }
        admin.await("/stats", found -> pool(found).getJsonObject("queue").getInt("depth") == 1);
        // Once more, since that pool may have been asked after its loop was, and a request between.
        JsonObject stats = admin.stats();
        assertEquals(2, pool(stats).getInt("inFlight"));
        assertTrue(pool(stats).getJsonObject("queue").getInt("bytes") > 0);
        assertEquals(3, stats.getJsonObject("requests").getInt("inFlight"));
        JsonObject connections = stats.getJsonObject("connections");
        assertEquals(3, connections.getInt("open"));
        assertEquals(3, connections.getInt("active"));
        assertEquals(3, connections.getInt("peak"));
        assertTrue(stats.getJsonObject("buffers").getInt("bytes") > 0);
    }

    @Test
    void beginsAnewWithAResetWhichAnswersTheWindowThatItCloses() throws Exception {
        ask("/");
        assertEquals(1, admin.stats().getJsonObject("requests").getInt("total"));
        JsonObject closed = RunningAdmin.parse(admin.post("/stats/reset", ""));
        assertEquals(1, closed.getJsonObject("requests").getInt("total"));
        Instant.parse(closed.getJsonObject("window").getString("endedAt"));
        JsonObject current = admin.json("/stats");
        assertEquals(0, current.getJsonObject("requests").getInt("total"));
        assertEquals(0, current.getJsonArray("workers").getJsonObject(0).getInt("requests"));
        assertEquals(JsonValue.NULL, current.getJsonObject("window").get("endedAt"));
        assertEquals(
                closed.getJsonObject("window").getString("endedAt"),
                current.getJsonObject("window").getString("resetAt"));
        assertEquals(
                closed.getJsonObject("requests"),
                admin.json("/stats?window=previous").getJsonObject("requests"));
    }

    @Test
    void countsAWorkerOfTheSameNameAsAnotherFromItsBegin() throws Exception {
        ask("/");
        admin.post("/stats/reset", "");
        for (int i = 0; i < 2; i++) {
            assertEquals(200, admin.post("/pools/default/reload?wait=true", "").statusCode());
            admin.await("/stats", found -> found.getJsonArray("workers").size() == 1);
        }
        ask("/");
        ask("/");
        JsonObject worker = admin.stats().getJsonArray("workers").getJsonObject(0);
        assertEquals("default-1", worker.getString("id"));
        assertEquals(2, worker.getInt("requests"));
    }

    @Test
    void hasNoPreviousWindowBeforeAReset() throws Exception {
        HttpResponse<String> missing = admin.get("/stats?window=previous");
        assertEquals(404, missing.statusCode());
        assertEquals("no_previous_window", RunningAdmin.parse(missing).getString("code"));
    }

    @Test
    void takesNoOtherWindow() throws Exception {
        assertEquals(400, admin.get("/stats?window=next").statusCode());
    }

    @Test
    void showsCertificates() throws Exception {
        admin.certificates.add(
                new ServedCertificate(
                        "/etc/tls/a.pem",
                        List.of("a.example", "*.a.example"),
                        Instant.parse("2030-01-01T00:00:00Z"),
                        Instant.parse("2030-04-01T12:00:00Z")));
        JsonObject shown =
                admin.stats().getJsonObject("tls").getJsonArray("certificates").getJsonObject(0);
        assertEquals("/etc/tls/a.pem", shown.getString("file"));
        assertEquals("*.a.example", shown.getJsonArray("names").getString(1));
        assertEquals("2030-01-01T00:00:00Z", shown.getString("validFrom"));
        assertEquals("2030-04-01T12:00:00Z", shown.getString("expiresAt"));
        assertTrue(
                admin.get("/stats", "accept", "text/plain")
                        .body()
                        .contains("tls.certificates./etc/tls/a.pem.names: "));
    }

    @Test
    void isTextForWhomAsksForText() throws Exception {
        ask("/");
        assertEquals(1, admin.stats().getJsonObject("requests").getInt("total"));
        HttpResponse<String> text = admin.get("/stats", "accept", "text/plain");
        String place = admin.stats().getJsonObject("server").getJsonArray("listening").getString(0);
        assertTrue(place.matches("127\\.0\\.0\\.1:[0-9]+"), place);
        assertTrue(
                text.body().lines().anyMatch(each -> each.matches("server.listening: +" + place)),
                text.body());
        assertEquals("text/plain; charset=utf-8", text.headers().firstValue("content-type").get());
        assertTrue(text.body().lines().anyMatch(line -> line.matches("requests.total: +1")));
        assertTrue(text.body().contains("pools.default.queue.depth: "), text.body());
        assertTrue(text.body().contains("workers.default-1.requests: "), text.body());
        assertTrue(text.body().contains("loops.0.responsive: "), text.body());
    }

    @Test
    void isJsonForWhomTakesBoth() throws Exception {
        HttpResponse<String> json = admin.get("/stats", "accept", "application/json, text/plain");
        assertEquals("application/json", json.headers().firstValue("content-type").get());
    }

    @Test
    void showsALoopThatDoesNotTurnAsItWas() throws Exception {
        ask("/");
        assertEquals(1, admin.stats().getJsonObject("requests").getInt("total"));
        CountDownLatch released = new CountDownLatch(1);
        admin.loops.get(0).execute(() -> awaitQuietly(released));
        try {
            JsonObject stats = admin.json("/stats");
            assertFalse(stats.getJsonArray("loops").getJsonObject(0).getBoolean("responsive"));
            assertEquals(1, stats.getJsonObject("requests").getInt("total"));
            assertEquals("default", pool(stats).getString("name"));
        } finally {
            released.countDown();
        }
        admin.await(
                "/stats",
                found -> found.getJsonArray("loops").getJsonObject(0).getBoolean("responsive"));
    }

    private static JsonObject pool(JsonObject stats) {
        return stats.getJsonArray("pools").getJsonObject(0);
    }

    /** Asks the pool for something, and waits for the head of the response. */
    private void ask(String target) throws Exception {
        assertEquals(200, admin.ask(target).readHead().status());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.Processes;
import dev.handoff.process.protocol.SafeText;
import dev.handoff.testing.RawClient;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("processes")
@Timeout(60)
class StateTest {
    private static final List<String> STEERS = Processes.python("steers");

    @Test
    void listsWorkersWithTheirProcess() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 3);
            admin.awaitReady();
            JsonObject worker = firstWorker(admin);
            assertEquals("default-1", worker.getString("id"));
            assertEquals("ready", worker.getString("state"));
            assertEquals(3, worker.getInt("concurrency"));
            long pid = worker.getJsonNumber("pid").longValue();
            assertTrue(ProcessHandle.of(pid).orElseThrow().isAlive());
            assertTrue(
                    !Instant.parse(worker.getString("startedAt")).isAfter(Instant.now()),
                    worker.toString());
        }
    }

    @Test
    void saysWhyAWorkerDoesNotStart() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(List.of("sh", "-c", "echo 'no module app' >&2; exit 3"), 1, 1);
            JsonObject worker = firstWorker(admin);
            while (worker.getInt("restarts") < 2) {
                worker = firstWorker(admin);
            }
            assertEquals(
                    "default-1: exit code 3 before it was ready (no module app)",
                    worker.getString("lastError"));
            assertTrue(
                    List.of("starting", "waiting").contains(worker.getString("state")),
                    worker.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/workers", "/stats", "/ready", "/metrics", "/requests"})
    void showsNothingOfAWorkersThatSteersItsReader(String path) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(STEERS, 1, 1);
            admin.awaitReady();
            assertPrintable(admin.get(path).body());
        }
        try (RunningAdmin admin = RunningAdmin.start()) {
            String words = "printf 'a\\302\\233b \\342\\200\\256c \\033[2J\\001' >&2; exit 3";
            admin.supervise(List.of("sh", "-c", words), 1, 1);
            while (firstWorker(admin).getInt("restarts") < 2) {
                Thread.onSpinWait();
            }
            assertPrintable(admin.get(path).body());
            assertPrintable(admin.get(path, "accept", "text/plain").body());
        }
    }

    @Test
    void showsTheNameOfAWorkerWithoutWhatSteers() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(STEERS, 1, 1);
            admin.awaitReady();
            assertEquals(
                    "left\ufffdright\ufffd31m\ufffd\ufffdend\ufffd\ufffd",
                    firstWorker(admin).getString("name"));
        }
    }

    private static void assertPrintable(String text) {
        assertTrue(
                text.lines().allMatch(line -> line.codePoints().allMatch(SafeText::isPrintable)),
                text);
        // Neither as a character nor, in JSON, as its escape, which the dashboard reads back.
        assertFalse(text.contains("\\u00"), text);
    }

    @Test
    void listsWhatWaitsAndWhatWorkersHaveTheOldestFirst() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
            String traceparent = "traceparent: 00-" + trace + "-00f067aa0ba902b7-01";
            admin.ask("/held/first?secret=1", "X-Request-Id: f-1", traceparent);
            admin.await("/requests", found -> found.getInt("inHand") == 1);
            admin.ask("/held/second");
            JsonObject found = admin.await("/requests", both -> both.getInt("inHand") == 2);
            JsonObject first = found.getJsonArray("requests").getJsonObject(0);
            assertEquals("f-1", first.getString("id"));
            assertEquals(trace, first.getString("traceId"));
            assertEquals("running", first.getString("state"));
            assertEquals("default", first.getString("pool"));
            assertEquals("default-1", first.getString("worker"));
            assertEquals("GET", first.getString("method"));
            assertEquals("/held/first", first.getString("target"));
            assertTrue(first.getString("client").startsWith("127.0.0.1:"));
            double age = first.getJsonNumber("ageMillis").doubleValue();
            double wait = first.getJsonNumber("waitMillis").doubleValue();
            double handler = first.getJsonNumber("handlerMillis").doubleValue();
            assertEquals(age, wait + handler, 0.0011);
            JsonObject second = found.getJsonArray("requests").getJsonObject(1);
            assertTrue(second.isNull("id"));
            assertTrue(second.isNull("traceId"));
            assertEquals("queued", second.getString("state"));
            assertTrue(second.isNull("worker"));
            assertEquals(0, second.getInt("handlerMillis"));
            assertFalse(second.getBoolean("retiring"));
        }
    }

    @Test
    void listsWhatAWorkerHasThoughNobodyWaitsForIt() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
            RawClient leaving =
                    admin.ask("/held", "traceparent: 00-" + trace + "-00f067aa0ba902b7-01");
            admin.await("/requests", found -> found.getInt("inHand") == 1);
            leaving.close();
            admin.await(
                    "/requests",
                    found -> {
                        JsonArray requests = found.getJsonArray("requests");
                        return !requests.isEmpty()
                                && requests.getJsonObject(0).getString("state").equals("cancelled")
                                && requests.getJsonObject(0).getString("traceId").equals(trace);
                    });
        }
    }

    @Test
    void showsAsManyRequestsAsAreAskedForAndCountsAll() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 2);
            admin.awaitReady();
            for (int i = 0; i < 5; i++) {
                admin.ask("/held/" + i);
                int sent = i + 1;
                admin.await("/requests", found -> found.getInt("inHand") == sent);
            }
            JsonObject found =
                    admin.await(
                            "/requests?limit=3&pool=default",
                            answered -> answered.getInt("inHand") > 0);
            assertEquals(5, found.getInt("inHand"));
            assertEquals(3, found.getInt("shown"));
            assertEquals(List.of("/held/0", "/held/1", "/held/2"), targets(found));
        }
    }

    @Test
    void cutsALongTarget() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.ask("/held/" + "x".repeat(300));
            JsonObject found = admin.await("/requests", one -> one.getInt("inHand") == 1);
            assertEquals("/held/" + "x".repeat(194) + "…", targets(found).getFirst());
        }
    }

    @Test
    void showsWhatARetiringPoolFinishes() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.ask("/held");
            admin.await("/requests", found -> found.getInt("inHand") == 1);
            admin.retire();
            JsonObject workers =
                    admin.await("/workers", found -> found.getJsonArray("pools").isEmpty());
            JsonObject pool = workers.getJsonArray("retiring").getJsonObject(0);
            assertEquals("default", pool.getString("name"));
            assertEquals(1, pool.getInt("inFlight"));
            assertEquals(
                    "default-1", pool.getJsonArray("workers").getJsonObject(0).getString("id"));
            for (String path : List.of("/requests", "/requests?pool=default")) {
                JsonObject found = admin.json(path);
                assertEquals(1, found.getInt("inHand"), path);
                JsonObject request = found.getJsonArray("requests").getJsonObject(0);
                assertTrue(request.getBoolean("retiring"), path);
            }
            JsonObject stats = admin.json("/stats");
            assertTrue(stats.getJsonArray("pools").isEmpty());
            JsonObject summed = stats.getJsonArray("retiring").getJsonObject(0);
            assertEquals("default", summed.getString("name"));
            assertEquals(1, summed.getInt("pools"));
            assertEquals(1, summed.getInt("inFlight"));
            assertEquals(0, summed.getInt("queued"));
        }
    }

    @Test
    void changesNothingOfARetiringPool() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.ask("/held");
            admin.await("/requests", found -> found.getInt("inHand") == 1);
            admin.retire();
            for (String path : List.of("/pools/default/reload", "/workers/default-1/kill")) {
                assertEquals(404, admin.post(path, "").statusCode(), path);
            }
            assertEquals(1, admin.json("/requests").getInt("inHand"));
        }
    }

    @Test
    void showsTheConfiguration() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            assertEquals("{\"settings\":{},\"pools\":{}}\n", admin.get("/config").body());
        }
    }

    private static List<String> targets(JsonObject requests) {
        return requests.getJsonArray("requests").stream()
                .map(each -> each.asJsonObject().getString("target"))
                .toList();
    }

    private static JsonObject firstWorker(RunningAdmin admin) throws Exception {
        return admin.awaitPool(pool -> !pool.getJsonArray("workers").isEmpty())
                .getJsonArray("workers")
                .getJsonObject(0);
    }
}

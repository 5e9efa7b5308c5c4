package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.handoff.process.TestWorker;
import dev.handoff.testing.RawClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("processes")
@Timeout(60)
class OperationsTest {
    @Test
    void drainsAWorkerThatGoesWhenItsSuccessorIsReady() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            HttpResponse<String> response = admin.post("/workers/default-1/drain?wait=true", "");
            assertEquals(200, response.statusCode());
            assertEquals("done", RunningAdmin.parse(response).getString("state"));
            admin.awaitPool(pool ->
                    ids(pool).equals(List.of("default-2")) && pool.getInt("concurrency") == 1);
        }
    }

    @Test
    void doesNotWaitUnlessItIsTold() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            HttpResponse<String> response = admin.post("/workers/default-1/drain", "{}");
            assertEquals(202, response.statusCode());
            assertEquals("default-1", RunningAdmin.parse(response).getString("worker"));
            assertEquals("begun", RunningAdmin.parse(response).getString("state"));
            admin.awaitPool(pool -> ids(pool).equals(List.of("default-2")));
        }
    }

    @Test
    void aDrainIsDoneWhenTheWorkerHoldsNothingAnyMore() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.ask("/held");
            admin.awaitPool(pool -> pool.getInt("inFlight") == 1);
            CompletableFuture<HttpResponse<String>> drained =
                    admin.posting("/workers/default-1/drain?wait=true");
            admin.awaitPool(pool -> state("default-1", pool).equals("draining"));
            assertProblem(
                    409,
                    "default-1 is draining already",
                    admin.post("/workers/default-1/drain", ""));
            assertFalse(drained.isDone());
            admin.post("/workers/default-1/kill", "");
            assertEquals("done", RunningAdmin.parse(drained.get()).getString("state"));
        }
    }

    @Test
    void aDrainOfAWorkerThatCameByItselfHasBegunAndIsDoneWhenItHasLeft() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            TestWorker first = admin.join();
            admin.join();
            HttpResponse<String> begun = admin.post("/workers/default-external-2/drain", "");
            assertEquals(202, begun.statusCode());
            assertEquals("begun", RunningAdmin.parse(begun).getString("state"));

            admin.ask("/held");
            admin.awaitPool(pool -> pool.getInt("inFlight") == 1);
            CompletableFuture<HttpResponse<String>> drained =
                    admin.posting("/workers/default-external-1/drain?wait=true");
            admin.awaitPool(pool -> pool.getInt("concurrency") == 0);
            assertFalse(drained.isDone());
            first.close();
            assertEquals(200, drained.get().statusCode());
            assertEquals("done", RunningAdmin.parse(drained.get()).getString("state"));
        }
    }

    @Test
    void saysThatAWorkerDrainsAlready() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.ask("/held");
            admin.awaitPool(pool -> pool.getInt("inFlight") == 1);
            admin.post("/workers/default-1/drain", "");
            admin.awaitPool(pool -> state("default-1", pool).equals("draining"));
            HttpResponse<String> again = admin.post("/workers/default-1/drain", "");
            assertProblem(409, "default-1 is draining already", again);
            admin.post("/workers/default-1/kill", "");
        }
    }

    @Test
    void killsAWorkerWhoseRequestsAreLostAndStartsAnother() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            RawClient client = admin.ask("/held");
            admin.awaitPool(pool -> pool.getInt("inFlight") == 1);
            // Once more, since that look may fall into the turn at whose end the request leaves for
            // the worker; and what a worker has not received goes to the next one.
            admin.awaitPool(pool -> pool.getInt("inFlight") == 1);
            HttpResponse<String> response = admin.post("/workers/default-1/kill", "");
            assertEquals(202, response.statusCode());
            assertEquals("done", RunningAdmin.parse(response).getString("state"));
            assertEquals(502, client.readHead().status());
            JsonObject pool = admin.awaitPool(each -> each.getInt("concurrency") == 1);
            JsonObject worker = pool.getJsonArray("workers").getJsonObject(0);
            assertEquals(1, worker.getInt("restarts"));
            assertEquals("default-1: killed on demand", worker.getString("lastError"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/workers/default-9/drain",
                "/workers/default-9/kill?wait=true",
                "/workers/other-1/drain",
                "/pools/other/reload",
                "/pools/other/scale"
            })
    void answersWhatIsNotThereWith404(String path) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            HttpResponse<String> response =
                    admin.post(path, path.endsWith("scale") ? "{\"workers\":2}" : "");
            assertEquals(404, response.statusCode(), response.body());
        }
    }

    @Test
    void changesTheNumberOfWorkers() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            HttpResponse<String> response =
                    admin.post("/pools/default/scale?wait=true", "{\"workers\": 3}");
            assertEquals(200, response.statusCode());
            assertEquals(2, RunningAdmin.parse(response).getInt("workers"));
            admin.awaitPool(pool -> pool.getInt("concurrency") == 3);
            admin.post("/pools/default/scale", "{\"workers\": 1}");
            admin.awaitPool(pool -> ids(pool).size() == 1);
        }
    }

    @Test
    void replacesTheWorkersOfAPool() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(2, 1);
            admin.awaitPool(pool -> pool.getInt("concurrency") == 2);
            HttpResponse<String> response = admin.post("/pools/default/reload?wait=true", "");
            assertEquals(200, response.statusCode());
            assertEquals(2, RunningAdmin.parse(response).getInt("workers"));
        }
    }

    @Test
    void saysWhyItCannotBe() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            assertProblem(
                    409,
                    "the workers of this pool are started elsewhere",
                    admin.post("/pools/default/reload", ""));
            admin.pool.drain().get(20, TimeUnit.SECONDS);
            assertProblem(
                    409,
                    "the pool is draining",
                    admin.post("/pools/default/scale", "{\"workers\":1}"));
        }
    }

    @Test
    void saysWhyASuccessorDoesNotStart(@TempDir Path folder) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            String once = "test ! -e ran || exit 3; touch ran; exec \"$@\"";
            List<String> command = new ArrayList<>(List.of("sh", "-c"));
            // Not beside the socket: one that is started while the server ends may make it again.
            Path ran = folder.resolve("ran");
            command.addAll(List.of(once.replace("ran", ran.toString()), "sh"));
            command.addAll(RunningAdmin.HOLDS);
            admin.supervise(command, 1, 1);
            admin.awaitReady();
            HttpResponse<String> response = admin.post("/workers/default-1/drain?wait=true", "");
            assertProblem(
                    409,
                    "0 done, then given up; the others go on as they are: default-2: exit code 3"
                            + " before it was ready",
                    response);
            admin.awaitReady();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "{\"workers\":0}",
                "{\"workers\":1001}",
                "{\"workers\":1.5}",
                "{\"workers\":2.0}",
                "{\"workers\":1e1}",
                "{\"workers\":-0}",
                "{\"workers\":1e999999999}",
                "{\"workers\":1e-999999999}",
                "{\"workers\":1e2147483648}",
                "{\"workers\":1e99999999999}",
                "{\"workers\":1e-99999999999}",
                "{\"workers\":0e99999999999}",
                "{\"workers\":1.5E+9999999999}",
                "{\"workers\":-9223372036854775809}",
                "{\"workers\":\"2\"}",
                "{\"workers\":null}",
                "{\"workers\":2,\"workers\":3}",
                "{\"workers\":2,\"more\":3}",
                "{\"workers\":2}{}",
                "{\"workers\":2",
                "{\"workers\":[[[[[[[[1]]]]]]]]}",
                "workers=2",
                "\u0000"
            })
    void refusesABodyThatSaysNoNumberOfWorkers(String body) throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            HttpResponse<String> response = admin.post("/pools/default/scale", body);
            assertEquals(400, response.statusCode(), response.body());
            assertEquals("bad_request", RunningAdmin.parse(response).getString("code"));
        }
    }

    @Test
    void refusesABodyWhereNothingCanBeSaid() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            assertEquals(400, admin.post("/drain", "{\"now\":1}").statusCode());
            assertFalse(admin.operations.draining);
        }
    }

    @Test
    void beginsNothingWhenTheQueryIsWrong() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            assertProblem(
                    400,
                    "the parameter wait is 'maybe': expected true or false",
                    admin.post("/workers/default-1/kill?wait=maybe", ""));
            assertEquals(
                    0,
                    admin.awaitPool(pool -> true)
                            .getJsonArray("workers")
                            .getJsonObject(0)
                            .getInt("restarts"));
        }
    }

    @Test
    void drainsTheServerOnce() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            assertEquals(202, admin.post("/drain", "").statusCode());
            assertProblem(409, "the server is draining already", admin.post("/drain", ""));
        }
    }

    @Test
    void reloadsTheConfiguration() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            assertEquals(202, admin.post("/reload", "").statusCode());
            assertEquals(200, admin.post("/reload?wait=true", "").statusCode());
            assertEquals(2, admin.operations.reloads.get());
            admin.operations.reloaded =
                    CompletableFuture.completedFuture(
                            new ReloadOutcome.Failed("handoff.json, line 7: wrong"));
            assertProblem(409, "handoff.json, line 7: wrong", admin.post("/reload?wait=true", ""));
            admin.operations.reloaded =
                    CompletableFuture.completedFuture(
                            new ReloadOutcome.Done("nothing has \"changed\""));
            JsonObject done = RunningAdmin.parse(admin.post("/reload?wait=true", ""));
            assertEquals("done", done.getString("state"));
            assertEquals("nothing has \"changed\"", done.getString("detail"));
        }
    }

    private static List<String> ids(JsonObject pool) {
        return pool.getJsonArray("workers").stream()
                .map(each -> each.asJsonObject().getString("id"))
                .toList();
    }

    private static String state(String id, JsonObject pool) {
        return pool.getJsonArray("workers").stream()
                .map(JsonValue::asJsonObject)
                .filter(each -> each.getString("id").equals(id))
                .findFirst()
                .map(each -> each.getString("state"))
                .orElse("gone");
    }

    private static void assertProblem(int status, String detail, HttpResponse<String> response) {
        assertEquals(detail, RunningAdmin.parse(response).getString("detail"));
        assertEquals(status, response.statusCode());
        assertEquals(
                "application/problem+json",
                response.headers().firstValue("content-type").orElseThrow());
    }
}

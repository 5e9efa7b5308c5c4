package dev.handoff.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.PoolLimits;
import dev.handoff.process.ProcessStarter;
import dev.handoff.process.WorkerCommand;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.WorkerSocket;
import dev.handoff.server.ServerListener;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class AdminServerTest {
    private static final String HELLO =
            Path.of(System.getProperty("handoff.root"), "examples-python", "hello.py").toString();

    @TempDir Path folder;
    private final HttpClient client = HttpClient.newHttpClient();
    private EventLoops loops;
    private WorkerPool pool;
    private WorkerSocket socket;
    private AdminServer admin;

    @BeforeEach
    void start() throws Exception {
        loops = EventLoops.start("test", 1, Clock.SYSTEM, LoopListener.NONE);
        pool = new WorkerPool("default", loops.get(0), PoolLimits.DEFAULT, List.of(), "test");
        socket = WorkerSocket.open(folder.resolve("s"), List.of(pool), loops.get(0));
        admin = AdminServer.start("127.0.0.1", 0, loops, () -> List.of(pool), ServerListener.NONE);
    }

    @AfterEach
    void stop() throws Exception {
        pool.drain().get(20, TimeUnit.SECONDS);
        socket.close().get(5, TimeUnit.SECONDS);
        admin.stop();
        loops.stop();
        client.close();
    }

    @Test
    void livesAsLongAsItsLoopsTurn() throws Exception {
        assertEquals(200, get("/live").statusCode());
    }

    @Test
    void doesNotLiveWhileALoopDoesNotTurn() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        loops.get(0).execute(() -> awaitQuietly(released));
        try {
            assertEquals("an event loop does not turn\n", get("/live").body());
            assertEquals("a pool's event loop does not turn\n", get("/ready").body());
        } finally {
            released.countDown();
        }
    }

    @Test
    void isNotReadyOnceTheServerDrains() throws Exception {
        startWorker();
        awaitReady();

        admin.beginDraining();

        assertEquals("the server is draining\n", get("/ready").body());
        assertEquals(200, get("/live").statusCode());
    }

    @Test
    void isNotReadyWithoutAWorkerAndSaysSo() throws Exception {
        HttpResponse<String> ready = get("/ready");

        assertEquals(503, ready.statusCode());
        assertEquals("pool default has no ready worker\n", ready.body());
    }

    @Test
    void isReadyOnceAWorkerHasRoom() throws Exception {
        startWorker();

        assertEquals("ready\n", awaitReady().body());
    }

    @Test
    void isNotReadyWhileItDrains() throws Exception {
        startWorker();
        awaitReady();

        pool.drain().get(20, TimeUnit.SECONDS);

        assertEquals("pool default is draining\n", get("/ready").body());
    }

    @Test
    void listsWorkersWithTheirProcess() throws Exception {
        startWorker();
        awaitReady();

        assertEquals("default", firstPool().getString("name"));
        JsonObject worker = firstWorker();
        assertEquals("default-1", worker.getString("id"));
        assertEquals("ready", worker.getString("state"));
        assertTrue(
                ProcessHandle.of(worker.getJsonNumber("pid").longValue()).orElseThrow().isAlive());
    }

    @Test
    void saysWhyAWorkerDoesNotStart() throws Exception {
        List<String> failing = List.of("sh", "-c", "echo 'no module app' >&2; exit 3");
        WorkerCommand command = new WorkerCommand(failing, Map.of(), socket.path());
        pool.supervise(command, 1, new ProcessStarter(System.getenv("PATH")));

        JsonObject worker = firstWorker();
        while (worker.getInt("restarts") < 2) {
            worker = firstWorker();
        }

        assertEquals("default-1", worker.getString("id"));
        assertEquals(
                "default-1: exit code 3 before it was ready (no module app)",
                worker.getString("lastError"));
        assertTrue(
                List.of("starting", "waiting").contains(worker.getString("state")),
                worker.toString());
    }

    @Test
    void changesNothingByOtherMethods() throws Exception {
        HttpRequest post =
                HttpRequest.newBuilder(uri("/ready"))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();

        HttpResponse<String> answer = client.send(post, BodyHandlers.ofString());

        assertEquals(405, answer.statusCode());
        assertEquals("GET, HEAD", answer.headers().firstValue("allow").orElseThrow());
    }

    @Test
    void answersUnknownPathsWith404() throws Exception {
        assertEquals(404, get("/nothing").statusCode());
    }

    private JsonObject firstPool() throws Exception {
        return Json.createReader(new StringReader(get("/workers").body()))
                .readObject()
                .getJsonArray("pools")
                .getJsonObject(0);
    }

    private JsonObject firstWorker() throws Exception {
        return firstPool().getJsonArray("workers").getJsonObject(0);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void startWorker() {
        WorkerCommand command =
                new WorkerCommand(List.of("python3", HELLO), Map.of(), socket.path());
        pool.supervise(command, 1, new ProcessStarter(System.getenv("PATH")));
    }

    /** Asks until it is; the test's timeout is the deadline. */
    private HttpResponse<String> awaitReady() throws Exception {
        HttpResponse<String> ready = get("/ready");
        while (ready.statusCode() != 200) {
            ready = get("/ready");
        }
        return ready;
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + admin.port() + path);
    }
}

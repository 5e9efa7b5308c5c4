package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.TestWorker;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.testing.RawClient;
import jakarta.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("processes")
@Timeout(60)
class HealthTest {
    private static final String TOKEN = "correct-horse-battery-staple";
    private static final String AS_JSON = "application/json";

    @Test
    void livesAsLongAsItsLoopsTurn() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.awaitLive();
        }
    }

    @Test
    void doesNotLiveWhileALoopDoesNotTurn() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.loops.get(0).execute(() -> awaitQuietly(released));
            try {
                assertEquals("an event loop does not respond\n", admin.get("/live").body());
                assertEquals(
                        "pool default has an event loop that does not respond\n",
                        admin.get("/ready").body());
                assertEquals(
                        "default",
                        admin.json("/workers").getJsonArray("unresponsive").getString(0));
                assertEquals(503, admin.get("/live").statusCode());
            } finally {
                released.countDown();
            }
            admin.awaitLive();
        }
    }

    @Test
    void isNotReadyOnceTheServerDrains() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.admin.beginDraining();
            assertEquals("the server is draining\n", admin.get("/ready").body());
            assertEquals(200, admin.get("/live").statusCode());
        }
    }

    @Test
    void isNotReadyWithoutAWorkerAndSaysSo() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            HttpResponse<String> ready = admin.get("/ready");
            assertEquals(503, ready.statusCode());
            assertEquals("pool default has no ready worker\n", ready.body());
        }
    }

    @Test
    void namesTheReasonForWhichAWorkerWasTurnedAway() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start();
                TestWorker wrong = TestWorker.connect(admin.workerSocket())) {
            wrong.send(TestWorker.hello(1, "web", null, 1));
            wrong.remaining();
            String why =
                    "pool default has no ready worker: turned away (unknown_pool): there is no pool \"web\"\n";
            String ready = admin.get("/ready").body();
            while (!ready.equals(why)) {
                ready = admin.get("/ready").body();
            }
        }
    }

    @Test
    void isReadyOnceAWorkerHasRoom() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            assertEquals("ready\n", admin.get("/ready").body());
        }
    }

    @Test
    void isNotReadyWhileAPoolDrains() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.pool.drain().get(20, TimeUnit.SECONDS);
            assertEquals("pool default is draining\n", admin.get("/ready").body());
        }
    }

    @Test
    void namesThePoolAndTheErrorOfWorkersThatDoNotStart() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            admin.supervise(List.of("sh", "-c", "echo 'no module app' >&2; exit 3"), 1, 1);
            String why =
                    "pool default has no ready worker: default-1: exit code 3 before it was ready"
                            + " (no module app)\n";
            String ready = admin.get("/ready").body();
            while (!ready.equals(why)) {
                ready = admin.get("/ready").body();
            }
        }
    }

    @Test
    void tellsTheErrorOfAWorkerOnlyToWhoBearsTheTokenIfThereIsOne() throws Exception {
        try (RunningAdmin admin = RunningAdmin.startWithToken(TOKEN)) {
            String[] bearer = {"authorization", "Bearer " + TOKEN};
            admin.supervise(List.of("sh", "-c", "echo 'password is x' >&2; exit 3"), 1, 1);
            while (!admin.get("/ready", bearer).body().contains("(password is x)")) {
                Thread.onSpinWait();
            }
            assertEquals("pool default has no ready worker\n", admin.get("/ready").body());
            HttpResponse<String> json = admin.get("/ready", "accept", AS_JSON);
            assertFalse(json.body().contains("password"), json.body());
            HttpResponse<String> wrong =
                    admin.get("/ready", "authorization", "Bearer not-" + TOKEN);
            assertEquals("pool default has no ready worker\n", wrong.body());
        }
    }

    @Test
    void staysUnreadyFromAQueueThatIsNearlyFullUntilItIsLessThanHalfFull() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start(queueOf(10))) {
            admin.supervise(1, 1);
            admin.awaitReady();
            admin.ask("/held");
            admin.awaitPool(pool -> pool.getInt("inFlight") == 1);
            List<RawClient> waiting = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                waiting.add(admin.ask("/held"));
            }
            admin.awaitPool(pool -> pool.getInt("queued") == 8);
            assertEquals("ready\n", admin.get("/ready").body());
            waiting.add(admin.ask("/held"));
            admin.awaitPool(pool -> pool.getInt("queued") == 9);
            assertEquals("pool default has a queue that is nearly full\n", readyNow(admin));
            leave(waiting, 4);
            admin.awaitPool(pool -> pool.getInt("queued") == 5);
            assertEquals("pool default has a queue that is nearly full\n", readyNow(admin));
            leave(waiting, 1);
            admin.awaitPool(pool -> pool.getInt("queued") == 4);
            assertEquals("ready\n", readyNow(admin));
        }
    }

    @Test
    void answersInJsonWhoeverAsksForIt() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            HttpResponse<String> response = admin.get("/ready", "accept", AS_JSON);
            assertEquals(503, response.statusCode());
            JsonObject ready = RunningAdmin.parse(response);
            assertFalse(ready.getBoolean("ready"));
            assertEquals("pool default has no ready worker", ready.getString("cause"));
            assertFalse(ready.getJsonArray("pools").getJsonObject(0).getBoolean("ready"));
            JsonObject live = RunningAdmin.parse(admin.get("/live", "accept", AS_JSON));
            assertTrue(live.getBoolean("live"));
        }
    }

    private static String readyNow(RunningAdmin admin) throws Exception {
        return admin.get("/ready").body();
    }

    private static void leave(List<RawClient> waiting, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            waiting.removeLast().close();
        }
    }

    /** In which nothing expires as long as a test lasts. */
    private static PoolLimits queueOf(int requests) {
        PoolLimits usual = PoolLimits.DEFAULT;
        return new PoolLimits(
                requests,
                usual.queueBytes(),
                Duration.ofMinutes(10),
                usual.noWorkerGrace(),
                usual.cancelGrace(),
                usual.writeTimeout(),
                usual.fromWorker());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What it costs when processes die. */
class WorkerLossIT extends EndToEnd {
    private static final int CLIENTS = 16;

    private final Map<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();

    /** What {@code dies_at_start.py} says last. */
    private static final String NO_MODULE = "ModuleNotFoundError: No module named 'app'";

    private final AtomicInteger responses = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();

    @Test
    void losesOnlyWhatAKilledWorkerHeld() throws Exception {
        HandoffProcess handoff = run("--workers", "2", ECHO);
        List<Long> before = handoff.awaitWorkers(2);
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                RawClient client = client(handoff);
                running.add(clients.submit(() -> askUntilEnough(client)));
            }
            Await.until("some load", () -> responses.get() > 500);
            HandoffProcess.signal("KILL", before.getFirst());
            Await.until("a new worker", () -> bothRunAndOneIsNew(handoff, before));
            int then = responses.get();
            Await.until("more load", () -> responses.get() > then + 500);
            enough.set(true);
            for (Future<?> each : running) {
                each.get(30, TimeUnit.SECONDS);
            }
        }
        int lost = count("502 worker_lost");
        assertEquals(responses.get(), count("200 ") + lost, outcomes.toString());
        assertTrue(lost <= CLIENTS, outcomes.toString());
        System.out.println("measured: lost with the worker " + lost + " of " + responses);
    }

    @Test
    void replacesAKilledWorkerBeforeClientsGiveUp() throws Exception {
        HandoffProcess handoff = run("--workers", "1", "examples-python/hello.py");
        RawClient client = client(handoff);
        assertEquals(200, client.ask("/").status());
        long killed = handoff.awaitWorkers(1).getFirst();
        long beginNanos = System.nanoTime();
        HandoffProcess.signal("KILL", killed);
        Await.until("a response of a new worker", () -> statusOf(client) == 200);
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos);
        System.out.println("measured: from kill -9 to the next response " + tookMillis + " ms");
    }

    /** Without {@code --watch} the server would end. */
    @Test
    void answers503AndShowsWhyWhenWorkersCannotStart() throws Exception {
        HandoffProcess handoff =
                run(
                        "--watch",
                        "--workers",
                        "2",
                        "--no-worker-grace",
                        "100ms",
                        Distribution.testWorker("dies_at_start.py"));
        RawResponse response = client(handoff).ask("/");
        assertEquals(503, response.status());
        assertEquals("no_worker", response.header("handoff-error"));
        handoff.stderr().await(("default-1 | " + NO_MODULE)::equals);
        handoff.stderr()
                .await(line ->
                        line.contains("default-2 ended before it was ready")
                                && line.contains(NO_MODULE));
    }

    /** These never look at their socket, and ignore what can be ignored. */
    @Test
    void leavesNoWorkerBehindWhenItIsKilled(@TempDir Path folder) throws Exception {
        String script = "trap '' TERM HUP; echo on; while :; do :; done";
        String socket = folder.resolve("handoff.sock").toString();
        HandoffProcess handoff =
                run("--socket", socket, "--workers", "2", "--", "sh", "-c", script);
        handoff.stdout().await("default-1 | on"::equals);
        handoff.stdout().await("default-2 | on"::equals);
        List<Long> workers = handoff.awaitWorkers(2);
        handoff.signal("KILL");
        handoff.awaitExit();
        HandoffProcess.awaitGone(workers);
    }

    @Test
    void leavesNoWorkerBehindWhenItCannotStart() throws Exception {
        HandoffProcess first = run("examples-python/hello.py");
        HandoffProcess second =
                handoff(
                        "run",
                        "--port",
                        Integer.toString(first.port()),
                        "examples-python/hello.py");
        assertEquals(1, second.awaitExit());
        assertEquals(List.of(), second.workers());
    }

    private void askUntilEnough(RawClient client) {
        while (!enough.get()) {
            try {
                RawResponse response = client.ask("/?delay=2");
                String outcome = response.status() + " " + response.header("handoff-error");
                outcomes.computeIfAbsent(outcome, any -> new AtomicInteger()).incrementAndGet();
            } catch (IOException failure) {
                outcomes.computeIfAbsent(failure.toString(), any -> new AtomicInteger())
                        .incrementAndGet();
                return;
            } finally {
                responses.incrementAndGet();
            }
        }
    }

    private int count(String outcome) {
        return outcomes.getOrDefault(outcome, new AtomicInteger()).get();
    }

    private static boolean bothRunAndOneIsNew(HandoffProcess handoff, List<Long> before) {
        List<Long> now = handoff.workers();
        return now.size() == 2 && !now.equals(before);
    }

    private static int statusOf(RawClient client) {
        try {
            return client.ask("/").status();
        } catch (IOException failure) {
            throw new AssertionError("the server closed a client's connection", failure);
        }
    }
}

package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that ask without a pause, each on a connection of its own, and count the responses. */
final class Load implements AutoCloseable {
    private final Map<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();
    private final AtomicInteger responses = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final ExecutorService threads;
    private final List<Future<?>> clients = new ArrayList<>();

    Load(int clientCount, int port) throws IOException {
        threads = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < clientCount; i++) {
            RawClient client = new RawClient(port);
            clients.add(threads.submit(() -> askUntilEnough(client)));
        }
    }

    /** Waits until so many more responses have come. */
    void awaitMore(int count) {
        int then = responses.get();
        Await.until(count + " more responses", () -> responses.get() >= then + count);
    }

    /** Ends the load, in which every request has to have been answered with one of these. */
    void assertOnly(Set<String> bodies, String what) throws Exception {
        enough.set(true);
        for (Future<?> client : clients) {
            client.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        System.out.println("measured: " + what + ": " + outcomes);
        assertEquals(bodies, outcomes.keySet());
    }

    private void askUntilEnough(RawClient client) {
        try (client) {
            while (!enough.get()) {
                RawResponse response = client.ask("/");
                count(
                        response.status() == 200
                                ? response.text()
                                : response.status() + " " + response.header("handoff-error"));
            }
        } catch (IOException failure) {
            count(failure.toString());
        }
    }

    private void count(String outcome) {
        outcomes.computeIfAbsent(outcome, any -> new AtomicInteger()).incrementAndGet();
        responses.incrementAndGet();
    }

    @Override
    public void close() {
        enough.set(true);
        threads.shutdownNow();
    }
}

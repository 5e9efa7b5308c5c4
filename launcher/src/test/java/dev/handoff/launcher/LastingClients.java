package dev.handoff.launcher;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that ask without a pause, each on one connection that has to last. */
final class LastingClients implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final AtomicInteger responses = new AtomicInteger();
    private volatile boolean enough;

    LastingClients(int count, int port, String target) {
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform().daemon().start(() -> ask(port, target)));
        }
    }

    /** Waits until so many more responses have come. */
    void awaitMore(int count) {
        int before = responses.get();
        Await.until(
                () -> count + " more responses; failures: " + failures,
                () -> responses.get() >= before + count || !failures.isEmpty());
    }

    /** How many responses have come; all of them after the end. */
    int responses() {
        return responses.get();
    }

    /** Ends them; returns what went wrong, which is nothing if all is well. */
    List<String> end() throws InterruptedException {
        enough = true;
        for (Thread thread : threads) {
            thread.join(Await.LIMIT);
        }
        return List.copyOf(failures);
    }

    @Override
    public void close() {
        enough = true;
    }

    private void ask(int port, String target) {
        try (RawClient client = new RawClient(port)) {
            while (!enough) {
                RawResponse response = client.ask(target);
                if (response.status() != 200) {
                    failures.add(response.toString());
                    return;
                }
                responses.incrementAndGet();
            }
        } catch (IOException | RuntimeException lost) {
            failures.add(lost.toString());
        }
    }
}

package dev.handoff.launcher;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Clients that ask one request after another until they are closed, and repeat none. Half of them
 * open a connection for each; half keep theirs until a response says that it was the last.
 */
final class SteadyClients implements AutoCloseable {
    private static final int OF_EACH_KIND = 4;

    /** What a quick machine answers in the time that a test has, with the pauses. */
    private static final int MOST_REQUESTS = 1_000_000;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final int port;
    private final List<Thread> threads;
    private final AtomicInteger responses = new AtomicInteger();
    private final AtomicInteger moved = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean closing;

    SteadyClients(int port) {
        this.port = port;
        this.threads =
                IntStream.range(0, OF_EACH_KIND)
                        .boxed()
                        .flatMap(i -> Stream.<Runnable>of(this::askOnNew, this::askOnKept))
                        .map(asking -> Thread.ofPlatform().daemon().start(() -> ask(asking)))
                        .toList();
    }

    /** Waits for so many more responses, and fails at the first request that went wrong. */
    void awaitResponses(int more) {
        int wanted = responses.get() + more;
        Await.until(
                more + " more responses", () -> responses.get() >= wanted || !failures.isEmpty());
        if (!failures.isEmpty()) {
            throw new AssertionError(failures + " after " + responses + " responses");
        }
    }

    /** How many kept connections ended with a response that said so. */
    int moved() {
        return moved.get();
    }

    @Override
    public void close() {
        closing = true;
        Await.until(
                "the clients' last responses", () -> threads.stream().noneMatch(Thread::isAlive));
        awaitResponses(0);
    }

    private void ask(Runnable asking) {
        try {
            while (!closing && responses.get() < MOST_REQUESTS) {
                asking.run();
            }
        } catch (RuntimeException failure) {
            failures.add(String.valueOf(failure.getCause()));
        }
    }

    private void askOnNew() {
        try (RawClient client = new RawClient(port)) {
            ask(client);
        } catch (IOException lost) {
            throw new IllegalStateException(lost);
        }
    }

    private void askOnKept() {
        try (RawClient client = new RawClient(port)) {
            while (!closing) {
                if (ask(client).header("connection").equals("close")) {
                    moved.incrementAndGet();
                    return;
                }
            }
        } catch (IOException lost) {
            throw new IllegalStateException(lost);
        }
    }

    private RawResponse ask(RawClient client) throws IOException {
        RawResponse response = client.ask("/");
        if (response.status() != 200) {
            throw new IOException("a response with " + response);
        }
        responses.incrementAndGet();
        LockSupport.parkNanos(PAUSE_NANOS);
        return response;
    }
}

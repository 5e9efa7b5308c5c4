package dev.handoff.server.files;

import dev.handoff.http.Headers;
import dev.handoff.http.HttpDate;
import dev.handoff.server.TestServer;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A folder on a real disk, served by a real server. */
final class ServedFolder implements AutoCloseable {
    /** When its files were written. */
    static final Instant WRITTEN = Instant.parse("2020-02-03T04:05:06.789Z");

    private static final int THREADS = 2;
    private static final int MOST_WAITING = 100;
    private static final int MOST_OPEN = 100;
    private static final int MOST_HANDED_OVER = 100;

    final Path folder;
    final FileThreads threads;
    final TestServer server;

    ServedFolder(FileOptions options, FileThreads threads) throws IOException {
        this.folder = options.folder();
        this.threads = threads;
        this.server = TestServer.start(new FileTarget(options, threads));
    }

    static ServedFolder of(FileOptions options) throws IOException {
        return new ServedFolder(options, threads(THREADS, MOST_WAITING, MOST_OPEN));
    }

    static FileThreads threads(int count, int mostWaiting, int mostOpen) {
        return threads(new FileThreads.Limits(count, mostWaiting, mostOpen, MOST_HANDED_OVER));
    }

    static FileThreads threads(FileThreads.Limits limits) {
        return new FileThreads(limits, Thread.ofPlatform().daemon().factory());
    }

    static ServedFolder of(Path folder) throws IOException {
        return of(FileOptions.of(folder));
    }

    static FileOptions options(Path folder, @Nullable String fallback, @Nullable String notFound) {
        return new FileOptions(
                folder, "index.html", fallback, notFound, Headers.EMPTY, Map.of(), false);
    }

    static FileOptions precompressed(Path folder) {
        return new FileOptions(folder, "index.html", null, null, Headers.EMPTY, Map.of(), true);
    }

    /** Writes a file with a time of long ago. */
    ServedFolder with(String name, String text) throws IOException {
        write(folder, name, text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    static Path write(Path folder, String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
        return Files.setLastModifiedTime(file, FileTime.from(WRITTEN));
    }

    /** Returns when the threads have done what they were given before, if there is one of them. */
    static void awaitIdle(FileThreads threads) {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        threads.goOn(() -> idle.complete(null));
        TestLoops.await(idle);
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when all is sent that clients' systems take, and its one thread is idle. */
    void settleWhileClientsTakeNothing() {
        long before;
        do {
            before = server.listener.sentBytes();
            awaitIdle(threads);
            server.settle();
            awaitIdle(threads);
            server.settle();
        } while (server.listener.sentBytes() != before);
    }

    /** The time at which its files were written, and so many seconds later. */
    String date(int seconds) {
        byte[] date = HttpDate.format(WRITTEN.getEpochSecond() + seconds);
        return new String(date, StandardCharsets.US_ASCII);
    }

    RawClient connect() throws IOException {
        return server.connect();
    }

    @Override
    public void close() {
        server.close();
        threads.close();
    }
}

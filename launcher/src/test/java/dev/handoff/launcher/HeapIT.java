package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A small heap, and peers who want more of it than there is. */
@Isolated("it takes all the processor time that there is")
class HeapIT extends EndToEnd {
    private static final String LARGE_RESPONSES = Distribution.testWorker("large_responses.py");
    private static final int LARGE_BYTES = 32_000_000;

    /** The kernel takes little more than this for a client that does not read. */
    private static final int RECEIVE_BYTES = 4096;

    private static final int CLIENTS = 60;
    private static final int WORKERS = 20;
    private static final int SILENT = 1200;

    /** Together they would take more than 50 MB. */
    private static final int LONG_LINES = 18_000;

    private static final int REQUESTS_AT_ONCE = 50;
    private static final String DROPPED_LINES = "handoff_log_lines_dropped_total{log=\"access\",}";

    @TempDir private Path folder;

    @Test
    void clientsThatDoNotReadLargeResponsesExhaustNoHeap() throws Exception {
        HandoffProcess handoff = runWithHeap("-Xmx128m", "--workers", "4", LARGE_RESPONSES);
        assertEquals(200, client(handoff).ask("/5").status());
        List<RawClient> slow = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            slow.add(slowClient(handoff));
        }
        awaitServed(handoff);
        for (RawClient each : slow) {
            each.close();
        }
        awaitServed(handoff);
        awaitMetric(handoff, "handoff_response_room_bytes 0.0");
        awaitMetric(handoff, "handoff_buffered_bytes 0.0");
        assertSound(handoff);
    }

    @Test
    void clientsThatTakeLargeResponsesSlowlyKeepNobodyElseWaiting() throws Exception {
        HandoffProcess handoff = runWithHeap("-Xmx128m", "--workers", "2", LARGE_RESPONSES);
        for (int i = 0; i < CLIENTS; i++) {
            slowClient(handoff);
            assertEquals(200, client(handoff).ask("/5").status(), "a small response");
            assertEquals(200, client(handoff).ask("/100000").status(), "a page");
        }
        Curl metrics = Curl.run(handoff.adminUrl() + "metrics");
        assertTrue(
                !metrics.output().contains("handoff_responses_full_total 0.0"), metrics.output());
        handoff.stderr().await(line -> line.contains("was dropped (responses_full)"));
        assertSound(handoff);
    }

    @Test
    void workersThatStopMidFrameAndSilentOnesExhaustNoHeap() throws Exception {
        Path socket = folder.resolve("s");
        HandoffProcess handoff =
                handoffWithHeap(
                        "-Xmx128m",
                        "serve",
                        "--port",
                        "0",
                        "--admin-port",
                        "0",
                        "--socket",
                        socket.toString());
        handoff.url();
        for (int i = 0; i < WORKERS; i++) {
            joinAndStopMidFrame(socket);
        }
        awaitReadyWorkers(handoff, WORKERS);
        List<RawClient> losers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            RawClient loser = client(handoff);
            loser.get("/" + LARGE_BYTES);
            losers.add(loser);
        }
        awaitMetric(handoff, "handoff_response_room_waiting 1");
        for (int i = 0; i < SILENT; i++) {
            connect(socket);
        }
        startWorker(socket, "python3", LARGE_RESPONSES);
        awaitServed(handoff);
        assertTrue(firstAnswered(losers).contains(502), "whose worker stopped in the middle");
        assertSound(handoff);
    }

    @Test
    void anAccessLogThatNobodyReadsExhaustsNoHeap() throws Exception {
        Path pipe = folder.resolve("pipe");
        assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0,
                "no named pipes here");
        try (RandomAccessFile neverRead = new RandomAccessFile(pipe.toFile(), "rw")) {
            HandoffProcess handoff =
                    runWithHeap(
                            "-Xmx64m",
                            "--loops",
                            "1",
                            "--access-log",
                            pipe.toString(),
                            "--workers",
                            "1",
                            ECHO);
            RawClient client = client(handoff);
            String longest = "x".repeat(1000);
            String requests =
                    "GET /%1$s HTTP/1.1\r\nHost: a\r\nReferer: %1$s\r\nUser-Agent: %1$s\r\n\r\n"
                            .formatted(longest)
                            .repeat(REQUESTS_AT_ONCE);
            for (int sent = 0; sent < LONG_LINES; sent += REQUESTS_AT_ONCE) {
                client.send(requests);
                for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
                    assertEquals(200, client.readResponse().status());
                }
            }
            Curl metrics = Curl.run(handoff.adminUrl() + "metrics");
            assertTrue(!metrics.output().contains(DROPPED_LINES + " 0.0"), metrics.output());
            assertSound(handoff);
            assertTrue(neverRead.getFD().valid());
        }
    }

    @Test
    void aHeapThatIsExhaustedAllTheSameEndsTheProcess() throws Exception {
        HandoffProcess handoff =
                runWithHeap(
                        "-Xmx48m", "--workers", "2", "--max-buffered", "2048MiB", LARGE_RESPONSES);
        handoff.stderr().await(line -> line.contains("may not hold what the limits allow"));
        for (int i = 0; i < CLIENTS; i++) {
            slowClient(handoff);
        }
        assertEquals(3, handoff.awaitExit());
        handoff.stdout().await(line -> line.contains("OutOfMemoryError"));
    }

    private HandoffProcess runWithHeap(String heap, String... optionsAndFile) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("run", "--port", "0", "--admin-port"));
        arguments.addAll(List.of("0", "--request-timeout", "20s"));
        arguments.addAll(List.of(optionsAndFile));
        return handoffWithHeap(heap, arguments.toArray(String[]::new));
    }

    private HandoffProcess handoffWithHeap(String heap, String... arguments) throws IOException {
        String flags = "-XX:+UseParallelGC -XX:-UsePerfData " + heap;
        return handoff(Map.of("HANDOFF_JAVA_OPTS", flags), arguments);
    }

    /** While workers are held back a small request may wait, as long as its queue lets it. */
    private void awaitServed(HandoffProcess handoff) throws IOException {
        int status;
        do {
            status = client(handoff).ask("/5").status();
        } while (status != 200);
    }

    /**
     * The responses up to the first 502. Which workers are read is decided by who writes first. Who
     * stops loses its room to those that wait for it, 503, and is disconnected when nobody does,
     * 502; those that are not read meanwhile have the time of their requests, which then get 504.
     */
    private static List<Integer> firstAnswered(List<RawClient> clients) throws IOException {
        List<Integer> statuses = new ArrayList<>();
        for (RawClient client : clients) {
            statuses.add(client.readResponse().status());
            if (statuses.contains(502)) {
                break;
            }
        }
        assertTrue(Set.of(502, 503, 504).containsAll(statuses), statuses::toString);
        return statuses;
    }

    private static void awaitReadyWorkers(HandoffProcess handoff, int count) {
        awaitMetric(handoff, "handoff_workers{pool=\"default\",state=\"ready\",} " + count + ".0");
    }

    private RawClient slowClient(HandoffProcess handoff) throws IOException {
        RawClient slow = new RawClient(handoff.port(), RECEIVE_BYTES);
        closeAtEnd(slow);
        slow.get("/" + LARGE_BYTES);
        return slow;
    }

    private static void assertSound(HandoffProcess handoff) throws Exception {
        assertTrue(Curl.run(handoff.adminUrl() + "live").hasStatus(200));
        assertTrue(
                !handoff.stderr().toString().contains("OutOfMemoryError"),
                () -> handoff.stderr().toString());
    }

    /**
     * @param line the beginning of one
     */
    private static void awaitMetric(HandoffProcess handoff, String line) {
        Await.until(
                line,
                () -> {
                    try {
                        String metrics = Curl.run(handoff.adminUrl() + "metrics").output();
                        return metrics.lines().anyMatch(each -> each.startsWith(line));
                    } catch (IOException | InterruptedException failure) {
                        throw new IllegalStateException(failure);
                    }
                });
    }

    private SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        closeAtEnd(channel);
        return channel;
    }

    /** It takes one request, and answers all but the last mebibyte of what is asked for. */
    private void joinAndStopMidFrame(Path socket) throws IOException {
        SocketChannel worker = connect(socket);
        worker.write(frame("{\"type\":\"hello\",\"protocol\":1,\"concurrency\":1}", 0));
        Thread thread =
                new Thread(() -> {
                    try {
                        ByteBuffer welcome = ByteBuffer.allocate(64 * 1024);
                        worker.read(welcome);
                        worker.read(welcome);
                        worker.write(
                                frame(
                                        "{\"type\":\"response\",\"id\":1,\"status\":200}",
                                        LARGE_BYTES));
                        ByteBuffer some = ByteBuffer.allocate(64 * 1024);
                        for (int sent = 0;
                                sent < LARGE_BYTES - (1 << 20);
                                sent += some.capacity()) {
                            some.clear();
                            while (some.hasRemaining()) {
                                worker.write(some);
                            }
                        }
                    } catch (IOException closed) {
                        // The core had enough of it, as it should.
                    }
                });
        thread.setDaemon(true);
        thread.start();
    }

    private static ByteBuffer frame(String json, int bodyBytes) {
        byte[] head = json.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(8 + head.length)
                .putInt(head.length)
                .putInt(bodyBytes)
                .put(head)
                .flip();
    }
}

package dev.handoff.launcher.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LogWriterTest {
    private final List<String> written = new CopyOnWriteArrayList<>();

    @Test
    void writesLinesInOrder() {
        LogWriter writer = new LogWriter(written::add, this::tellLost);
        writer.write("one");
        writer.write("two");
        writer.flush(10_000);
        assertEquals(List.of("one", "two"), written);
    }

    @Test
    void waitsForNobodyAndCountsWhatItDrops() throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch resumed = new CountDownLatch(1);
        LogWriter writer =
                new LogWriter(
                        line -> {
                            stopped.countDown();
                            awaitQuietly(resumed);
                            written.add(line);
                        },
                        this::tellLost);
        writer.write("taken by the writer");
        stopped.await();
        for (int i = 0; i < LogWriter.QUEUE_LINES + 7; i++) {
            writer.write("line");
        }
        resumed.countDown();
        writer.flush(10_000);
        assertEquals(LogWriter.QUEUE_LINES + 2, written.size());
        assertEquals("lost: 7", written.get(1));
        assertEquals(7, writer.droppedLines());
    }

    @Test
    void aWorkerWaitsForASlowReader() throws InterruptedException {
        Semaphore taken = new Semaphore(0);
        LogWriter writer =
                new LogWriter(
                        line -> {
                            taken.acquireUninterruptibly();
                            written.add(line);
                        },
                        this::tellLost,
                        Duration.ofDays(1));
        Thread worker =
                Thread.ofPlatform()
                        .start(() -> {
                            for (int i = 0; i < 2 * LogWriter.WORKERS_LINES; i++) {
                                writer.writeOfWorker("line");
                            }
                        });
        while (worker.isAlive()) {
            taken.release();
            Thread.onSpinWait();
        }
        taken.release(2 * LogWriter.WORKERS_LINES);
        writer.flush(10_000);
        assertEquals(2 * LogWriter.WORKERS_LINES, written.size());
        assertEquals(0, writer.droppedLines());
    }

    @Test
    void aWorkerDoesNotWaitForAReaderThatStoppedAndTakesNoLineFromTheServer() {
        CountDownLatch resumed = new CountDownLatch(1);
        LogWriter writer =
                new LogWriter(
                        line -> {
                            awaitQuietly(resumed);
                            written.add(line);
                        },
                        this::tellLost,
                        // So long for each of them would be beyond this class's time.
                        Duration.ofMillis(100));
        int lines = LogWriter.QUEUE_LINES + LogWriter.WORKERS_LINES;
        for (int i = 0; i < lines; i++) {
            writer.writeOfWorker("line");
        }
        int lost = lines - LogWriter.WORKERS_LINES;
        assertEquals(lost, writer.droppedLines());
        writer.write("of the server");
        resumed.countDown();
        writer.flush(10_000);
        assertEquals("lost: " + lost, written.get(1));
        assertEquals("of the server", written.getLast());

        writer.writeOfWorker("again");
        writer.flush(10_000);
        assertEquals("again", written.getLast());
        assertEquals(lost, writer.droppedLines());
    }

    private void tellLost(long lines) {
        written.add("lost: " + lines);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}

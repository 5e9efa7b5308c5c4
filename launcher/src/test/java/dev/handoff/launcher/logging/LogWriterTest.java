package dev.handoff.launcher.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LogWriterTest {
    private final List<String> written = new CopyOnWriteArrayList<>();

    @Test
    void writesLinesInOrder() {
        LogWriter writer = new LogWriter(written::add, LogWriterTest::lost);
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
                        LogWriterTest::lost);
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

    private static String lost(long lines) {
        return "lost: " + lines;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class AccessWriterTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String UNSPEAKABLE = "/unspeakable";
    private static final String ENDLESS = "/endless";

    private static final int ENTRY_BYTES = Entries.withTarget("/more").heldBytes();

    private final EntryRing ring = new EntryRing((long) EntryRing.ENTRIES * ENTRY_BYTES);
    private final EntryRing second = new EntryRing(2L * ENTRY_BYTES);
    private final Sink sink = new Sink();
    private final AccessWriter writer = new AccessWriter(this::append, sink, List.of(ring, second));
    private volatile boolean ends;

    /** Lets go of what it was given when it is told to, and can fail. */
    private static final class Sink implements LineSink {
        final BlockingQueue<String> written = new LinkedBlockingQueue<>();
        final CountDownLatch busy = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);
        volatile boolean full;

        @Override
        public void write(byte[] lines) throws IOException {
            busy.countDown();
            try {
                open.await();
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
            if (full) {
                written.add("failed");
                throw new IOException("no room");
            }
            for (String line : new String(lines, StandardCharsets.UTF_8).split("\n", -1)) {
                if (!line.isEmpty()) {
                    written.add(line);
                }
            }
        }

        @Override
        public void reopen() {
            written.add("reopened");
        }
    }

    @AfterEach
    void end() {
        ends = true;
        sink.open.countDown();
        writer.close(LONG);
    }

    @Test
    void wakesForWhatComesWhileItSleeps() throws InterruptedException {
        sink.open.countDown();
        writer.start();
        for (int i = 0; i < 20; i++) {
            put("/" + i);
            assertEquals("/" + i, sink.written.take());
        }
    }

    @Test
    void writesAllThatWasNotedBeforeItEnds() {
        sink.open.countDown();
        writer.start();
        for (int i = 0; i < 1000; i++) {
            put("/" + i);
        }
        writer.close(LONG);
        assertEquals(1000, sink.written.size());
        assertEquals(0, writer.droppedLines());
    }

    @Test
    void aReaderThatStopsCostsLinesAndNoLoopItsTime() throws InterruptedException {
        writer.start();
        put("/first");
        sink.busy.await();
        for (int i = 0; i < EntryRing.ENTRIES + 7; i++) {
            put("/more");
        }
        assertEquals(7, writer.droppedLines());
        sink.open.countDown();
        writer.close(LONG);
        assertEquals(1 + EntryRing.ENTRIES, sink.written.size());
    }

    @Test
    void aReaderThatStopsCostsNoMoreMemoryForLongLines() throws InterruptedException {
        writer.start();
        put("/first");
        sink.busy.await();
        String longest = "/".repeat(AccessEntry.MOST_CHARACTERS);
        int most = EntryRing.ENTRIES * ENTRY_BYTES / Entries.withTarget(longest).heldBytes();
        for (int i = 0; i < most + 7; i++) {
            put(longest);
        }
        assertEquals(7, writer.droppedLines());
        sink.open.countDown();
        writer.close(LONG);
        assertEquals(1 + most, sink.written.size());
    }

    /** An operator is told what is missing in the log. */
    @Test
    void countsWhatAReaderThatStopsHasNotTakenAtTheEnd() throws InterruptedException {
        writer.start();
        put("/first");
        sink.busy.await();
        put("/second");
        put("/third");
        writer.close(Duration.ofMillis(1));
        assertEquals(3, writer.droppedLines());
    }

    @Test
    void goesOnWhenThereIsRoomAgain() throws InterruptedException {
        sink.full = true;
        sink.open.countDown();
        writer.start();
        put("/lost");
        assertEquals("failed", sink.written.take());
        sink.full = false;
        put("/kept");
        assertEquals("/kept", sink.written.take());
        assertEquals(1, writer.droppedLines());
    }

    @Test
    void aLineThatCannotBeMadeCostsNoOther() throws InterruptedException {
        sink.open.countDown();
        writer.start();
        put(UNSPEAKABLE);
        put("/next");
        assertEquals("/next", sink.written.take());
        assertEquals(1, writer.droppedLines());
    }

    @Test
    void opensTheFileAnewWhileNothingComes() throws InterruptedException {
        sink.open.countDown();
        writer.start();
        put("/old");
        assertEquals("/old", sink.written.take());
        writer.reopen();
        assertEquals("reopened", sink.written.take());
        put("/new");
        assertEquals("/new", sink.written.take());
    }

    @Test
    void aLoopThatIsAlwaysBusyKeepsNothingElseWaiting() throws InterruptedException {
        sink.open.countDown();
        put(ENDLESS);
        second.offer(Entries.withTarget("/other"));
        writer.reopen();
        writer.start();
        assertEquals(ENDLESS, sink.written.take());
        assertEquals("/other", sink.written.take());
        assertEquals("reopened", sink.written.take());
        assertEquals(ENDLESS, sink.written.take());
    }

    /** Plays a busy loop, too: its next line is there before the writer looks for one. */
    private void append(AccessEntry entry, StringBuilder lines) {
        if (entry.target().equals(ENDLESS) && !ends) {
            put(ENDLESS);
        }
        lines.append(entry.target());
        if (entry.target().equals(UNSPEAKABLE)) {
            throw new IllegalStateException("in the middle of a line");
        }
        lines.append('\n');
    }

    private void put(String target) {
        if (ring.offer(Entries.withTarget(target))) {
            writer.added(ring);
        } else {
            writer.drop();
        }
    }
}

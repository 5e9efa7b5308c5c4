package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class HandshakeThreadsTest {
    private final HandshakeThreads threads = new HandshakeThreads(1, 2);
    private final Semaphore blocked = new Semaphore(0);

    HandshakeThreadsTest() {
        threads.execute(blocked::acquireUninterruptibly, () -> {});
    }

    /** Thousands may wait, and each would keep an engine. */
    @Test
    void whatIsCancelledKeepsNothingWhileItWaits() {
        List<byte[]> engine = new ArrayList<>(List.of(new byte[1]));
        WeakReference<byte[]> kept = new WeakReference<>(engine.getFirst());
        HandshakeThreads.Task task = begin(engine.removeFirst());
        task.cancel();
        System.gc();
        assertNull(kept.get());
        blocked.release();
    }

    @Test
    void whatIsCancelledIsNotToldThatItIsDropped() {
        List<String> dropped = new ArrayList<>();
        HandshakeThreads.Task first = threads.execute(() -> {}, () -> dropped.add("first"));
        threads.execute(() -> {}, () -> dropped.add("second"));
        first.cancel();
        threads.execute(() -> {}, () -> dropped.add("third"));
        threads.execute(() -> {}, () -> dropped.add("fourth"));
        assertEquals(List.of("second"), dropped);
        blocked.release();
    }

    private HandshakeThreads.Task begin(byte[] engine) {
        List<byte[]> used = new ArrayList<>();
        return threads.execute(() -> used.add(engine), () -> used.add(engine));
    }
}

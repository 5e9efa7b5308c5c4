package dev.handoff.launcher.logging;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Takes log lines from any thread and writes them on a thread of its own: an event loop must not
 * wait for a terminal that was stopped with Ctrl-S, or for a full pipe. When its queue is full, it
 * drops lines and counts them.
 */
final class LogWriter {
    static final int QUEUE_LINES = 1000;

    private sealed interface Entry {}

    private record Line(String text) implements Entry {}

    private record Mark(CountDownLatch reached) implements Entry {}

    private final Consumer<String> receiver;
    private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(QUEUE_LINES);
    private final LongFunction<String> wordsForLost;
    private final AtomicLong dropped = new AtomicLong();

    /** How many of the dropped lines have been reported. Belongs to the writer's thread. */
    private long told;

    /**
     * @param receiver may block; called on the writer's thread
     * @param wordsForLost makes the line that says how many were dropped
     */
    LogWriter(Consumer<String> receiver, LongFunction<String> wordsForLost) {
        this.receiver = receiver;
        this.wordsForLost = wordsForLost;
        Thread.ofPlatform().name("handoff-log").daemon().start(this::writeForever);
    }

    void write(String line) {
        if (!queue.offer(new Line(line))) {
            dropped.incrementAndGet();
        }
    }

    long droppedLines() {
        return dropped.get();
    }

    /** Waits until all lines so far are written, but no longer than {@code limitMillis}. */
    void flush(long limitMillis) {
        CountDownLatch reached = new CountDownLatch(1);
        try {
            if (queue.offer(new Mark(reached), limitMillis, TimeUnit.MILLISECONDS)) {
                reached.await(limitMillis, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeForever() {
        try {
            while (true) {
                switch (queue.take()) {
                    case Line(String text) -> receiver.accept(text);
                    case Mark(CountDownLatch reached) -> reached.countDown();
                }
                long lost = dropped.get() - told;
                if (lost > 0) {
                    told += lost;
                    receiver.accept(wordsForLost.apply(lost));
                }
            }
        } catch (InterruptedException neverSent) {
            Thread.currentThread().interrupt();
        }
    }
}

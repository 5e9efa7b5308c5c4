package dev.handoff.launcher.logging;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Takes log lines from any thread and writes them on a thread of its own: an event loop must not
 * wait for a terminal that was stopped with Ctrl-S, or for a full pipe. When its queue is full, it
 * drops lines and counts them.
 *
 * <p>Lines of workers have half of the queue, so that a worker that writes much takes no line from
 * the server. A worker may wait for a reader that is slow, but not for one that has stopped: there
 * its lines are dropped too.
 */
final class LogWriter {
    static final int QUEUE_LINES = 1000;
    static final int WORKERS_LINES = QUEUE_LINES / 2;

    /** A reader that takes no line for so long counts as stopped. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Consumer<String> receiver;

    /** What the writer's thread has yet to do: mostly to write a line. */
    private final BlockingQueue<Runnable> queue = new ArrayBlockingQueue<>(QUEUE_LINES);

    private final LongConsumer tellLost;
    private final Duration patience;
    private final Semaphore workersRoom = new Semaphore(WORKERS_LINES);
    private final AtomicLong dropped = new AtomicLong();

    /** Set by a thread that waited in vain, cleared by the writer when the reader takes a line. */
    private volatile boolean stopped;

    /** How many of the dropped lines have been reported. Belongs to the writer's thread. */
    private long told;

    /**
     * @param receiver may block; called on the writer's thread
     * @param tellLost is told how many lines were dropped, when a line was taken again; called on
     *     the writer's thread
     */
    LogWriter(Consumer<String> receiver, LongConsumer tellLost) {
        this(receiver, tellLost, PATIENCE);
    }

    LogWriter(Consumer<String> receiver, LongConsumer tellLost, Duration patience) {
        this.receiver = receiver;
        this.tellLost = tellLost;
        this.patience = patience;
        Thread.ofPlatform().name("handoff-log").daemon().start(this::writeForever);
    }

    /** Writes a line of the server. Never waits. */
    void write(String line) {
        if (!queue.offer(() -> writeNow(line))) {
            dropped.incrementAndGet();
        }
    }

    /** Writes a line of a worker. Waits for room while the reader takes lines. */
    void writeOfWorker(String line) {
        if (!findsRoom()) {
            dropped.incrementAndGet();
        } else if (!queue.offer(() -> writeNowOfWorker(line))) {
            workersRoom.release();
            dropped.incrementAndGet();
        }
    }

    private boolean findsRoom() {
        if (workersRoom.tryAcquire()) {
            return true;
        }
        if (stopped) {
            return false;
        }
        try {
            if (workersRoom.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return true;
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        stopped = true;
        return false;
    }

    long droppedLines() {
        return dropped.get();
    }

    /** Waits until all lines so far are written, but no longer than {@code limitMillis}. */
    void flush(long limitMillis) {
        CountDownLatch reached = new CountDownLatch(1);
        try {
            if (queue.offer(reached::countDown, limitMillis, TimeUnit.MILLISECONDS)) {
                reached.await(limitMillis, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeForever() {
        try {
            while (true) {
                queue.take().run();
                long lost = dropped.get() - told;
                if (lost > 0) {
                    told += lost;
                    tellLost.accept(lost);
                }
            }
        } catch (InterruptedException neverSent) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeNow(String line) {
        receiver.accept(line);
        stopped = false;
    }

    private void writeNowOfWorker(String line) {
        writeNow(line);
        workersRoom.release();
    }
}

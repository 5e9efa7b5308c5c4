package dev.handoff.server.files;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The threads that wait for the disk in place of the event loops, for all folders of a server. They
 * start when the first file is asked for, and end when none is. Any thread.
 *
 * <p>Requests wait in a queue that has a bound. A response that has begun waits in the same queue
 * beyond it: of these there are no more than files that may be open.
 */
public final class FileThreads implements AutoCloseable {
    /** More of them help where a disk is slow, and cost little where it is not. */
    private static final int FEWEST = 4;

    /** So many requests wait for a thread. */
    public static final int MOST_WAITING = 1000;

    private static final int IDLE_SECONDS = 30;

    private final ThreadPoolExecutor threads;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder refused = new LongAdder();
    private final int mostWaiting;
    private final int mostOpen;

    /**
     * @param mostOpen how many files may be open for clients that take them slowly
     */
    public FileThreads(int mostOpen) {
        this(Math.max(FEWEST, Runtime.getRuntime().availableProcessors()), MOST_WAITING, mostOpen);
    }

    FileThreads(int count, int mostWaiting, int mostOpen) {
        this.mostWaiting = mostWaiting;
        this.mostOpen = mostOpen;
        AtomicInteger number = new AtomicInteger();
        threads =
                new ThreadPoolExecutor(
                        count,
                        count,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task ->
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("handoff-files-" + number.incrementAndGet())
                                        .unstarted(task));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Begins to answer a request; returns false if too many wait. */
    boolean begin(Runnable request) {
        if (waiting.incrementAndGet() > mostWaiting) {
            waiting.decrementAndGet();
            refused.increment();
            return false;
        }
        threads.execute(() -> {
            waiting.decrementAndGet();
            request.run();
        });
        return true;
    }

    /** Goes on with a response that has begun. */
    void goOn(Runnable response) {
        threads.execute(response);
    }

    /** Lets a file stay open until {@link #release}; returns false if too many are. */
    boolean keepOpen() {
        if (open.incrementAndGet() > mostOpen) {
            open.decrementAndGet();
            refused.increment();
            return false;
        }
        return true;
    }

    void release() {
        open.decrementAndGet();
    }

    /** How many requests wait for a thread. */
    public int waiting() {
        return waiting.get();
    }

    /** How many files are open for responses that their clients have not taken yet. */
    public int open() {
        return open.get();
    }

    /** How many requests got 503, as too many waited or too many files were open. */
    public long refused() {
        return refused.sum();
    }

    public int mostWaiting() {
        return mostWaiting;
    }

    public int mostOpen() {
        return mostOpen;
    }

    /** Ends the threads; what waits is dropped. The event loops have stopped before. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}

package dev.handoff.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that do the arithmetic of TLS handshakes in place of the event loops, for the whole
 * process. They start with the first handshake, and end when none comes. Any thread.
 */
final class HandshakeThreads implements Executor {
    /** Leaves as many cores to the loops, so that new clients do not slow down the others. */
    private static final int USUAL_COUNT =
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /** So many handshakes wait; one core does about a thousand in a second. */
    static final int MOST_WAITING = 4096;

    private static final int IDLE_SECONDS = 30;

    static final HandshakeThreads SHARED = new HandshakeThreads(USUAL_COUNT, MOST_WAITING);

    private final ThreadPoolExecutor threads;

    HandshakeThreads(int count, int mostWaiting) {
        AtomicInteger number = new AtomicInteger();
        threads =
                new ThreadPoolExecutor(
                        count,
                        count,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(mostWaiting),
                        task ->
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("handoff-tls-" + number.incrementAndGet())
                                        .unstarted(task));
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * @throws RejectedExecutionException if too many wait
     */
    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }
}

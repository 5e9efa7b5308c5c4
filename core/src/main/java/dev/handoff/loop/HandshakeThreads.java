package dev.handoff.loop;

import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that do the arithmetic of TLS handshakes in place of the event loops, for the whole
 * process. They start with the first handshake, and end when none comes. Any thread.
 *
 * <p>The newest goes first. Where more handshakes come than can be done, some clients are served at
 * once; in the order of their coming all would wait until their time is over.
 */
final class HandshakeThreads {
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
                        new NewestFirst(mostWaiting),
                        task ->
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("handoff-tls-" + number.incrementAndGet())
                                        .unstarted(task));
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs {@code work} on one of the threads.
     *
     * @param dropped runs in its place if too many newer ones wait, on any thread: it must only
     *     hand over
     */
    Task execute(Runnable work, Runnable dropped) {
        Task task = new Task(work, dropped);
        threads.execute(task);
        return task;
    }

    /** The work of one handshake. Any thread. */
    static final class Task implements Runnable {
        /** Null once it is cancelled. */
        private volatile @Nullable Runnable work;

        /** Null once it is cancelled: it holds the connection, as the work does. */
        private volatile @Nullable Runnable dropped;

        private Task(Runnable work, Runnable dropped) {
            this.work = work;
            this.dropped = dropped;
        }

        @Override
        public void run() {
            Runnable wanted = work;
            if (wanted != null) {
                wanted.run();
            }
        }

        /** It is not wanted any more. What waits keeps no memory of it. */
        void cancel() {
            work = null;
            dropped = null;
        }

        private void drop() {
            Runnable wanted = dropped;
            if (wanted != null) {
                wanted.run();
            }
        }
    }

    /** As the queue of an executor, which offers and polls. */
    private static final class NewestFirst extends LinkedBlockingDeque<Runnable> {
        private static final long serialVersionUID = 1;

        NewestFirst(int most) {
            super(most);
        }

        @Override
        public boolean offer(Runnable newest) {
            while (!offerFirst(newest)) {
                if (pollLast() instanceof Task oldest) {
                    oldest.drop();
                }
            }
            return true;
        }
    }
}

package dev.handoff.server.files;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;

/** A system that lets a process have no more threads, from some moment on. */
final class ScarceThreads implements ThreadFactory {
    private final List<Thread> started = new CopyOnWriteArrayList<>();
    private volatile boolean exhausted;

    void exhausted(boolean now) {
        exhausted = now;
    }

    /** Ends the one thread that runs. No other can take its place. */
    void endThread(FileThreads threads) throws InterruptedException {
        exhausted = true;
        threads.goOn(() -> {
            throw new IllegalStateException("on purpose");
        });
        for (Thread thread : started) {
            thread.join();
        }
    }

    @Override
    public Thread newThread(Runnable task) {
        if (exhausted) {
            // As Thread.start does it.
            throw new OutOfMemoryError("unable to create native thread: on purpose");
        }
        Thread thread = Thread.ofPlatform().daemon().unstarted(task);
        thread.setUncaughtExceptionHandler((ended, onPurpose) -> {});
        started.add(thread);
        return thread;
    }
}

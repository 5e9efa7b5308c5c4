package dev.handoff.launcher;

import dev.handoff.process.PoolListener;
import dev.handoff.process.supervise.ProcessExit;
import java.util.concurrent.TimeUnit;

/**
 * Wakes a thread that waits for a pool to get ready whenever a process got ready, ended or could
 * not be started. Told on the loops of the pools; one other thread waits.
 */
final class StartEvents implements PoolListener {
    private boolean happened;

    @Override
    public void onReady(String worker) {
        wake();
    }

    @Override
    public void onExited(String worker, ProcessExit exit, long restartMillis) {
        wake();
    }

    @Override
    public void onStartFailed(String worker, String reason, long restartMillis) {
        wake();
    }

    /** Ends the wait of the present, or else of the next. */
    synchronized void wake() {
        happened = true;
        notifyAll();
    }

    /**
     * Waits until something has happened since the last wait, or the time is up.
     *
     * @throws InterruptedException if the thread is to end
     */
    synchronized void await(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        long left = nanos;
        while (!happened && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
        happened = false;
    }
}

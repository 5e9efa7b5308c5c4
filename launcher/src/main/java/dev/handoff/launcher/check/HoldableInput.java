package dev.handoff.launcher.check;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The bytes of a worker, which can be left unread for a while. One thread reads, another holds. */
final class HoldableInput extends InputStream {
    private final InputStream in;
    private final Object gate = new Object();
    private long cameBytes;

    /** Reading stops when so many bytes have come. */
    private long holdAtBytes = Long.MAX_VALUE;

    HoldableInput(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        int most;
        synchronized (gate) {
            while (cameBytes >= holdAtBytes) {
                try {
                    gate.wait();
                } catch (InterruptedException closed) {
                    throw new IOException("closed", closed);
                }
            }
            most = (int) Math.min(length, holdAtBytes - cameBytes);
        }
        int count = in.read(bytes, from, most);
        synchronized (gate) {
            cameBytes += Math.max(0, count);
            gate.notifyAll();
        }
        return count;
    }

    /** Stops reading behind so many bytes from here. */
    void holdBehind(long bytes) {
        synchronized (gate) {
            holdAtBytes = cameBytes + bytes;
        }
    }

    /**
     * Waits until reading has stopped.
     *
     * @return whether it has
     */
    boolean awaitHeld(Duration longest) throws InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        synchronized (gate) {
            long left = longest.toNanos();
            while (cameBytes < holdAtBytes && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(gate, left);
                left = deadline - System.nanoTime();
            }
            return cameBytes >= holdAtBytes;
        }
    }

    void goOn() {
        synchronized (gate) {
            holdAtBytes = Long.MAX_VALUE;
            gate.notifyAll();
        }
    }

    /** How many bytes have come in all. */
    long cameBytes() {
        synchronized (gate) {
            return cameBytes;
        }
    }
}

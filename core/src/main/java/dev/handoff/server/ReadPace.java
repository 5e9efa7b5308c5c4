package dev.handoff.server;

import dev.handoff.loop.EventLoop;

/**
 * Measures how fast the request that is being read comes: how long its client takes for each 64
 * KiB. Belongs to the loop's thread.
 */
final class ReadPace {
    /** This much is headway. */
    static final int STEP_BYTES = 64 * 1024;

    private final EventLoop loop;
    private long bodyBytes;
    private int stepBytes;
    private long stepFromNanos;
    private long lastStepNanos;

    ReadPace(EventLoop loop) {
        this.loop = loop;
    }

    /** A head or a body begins. */
    void begin() {
        bodyBytes = 0;
        lastStepNanos = 0;
        beginStep();
    }

    /** Counts bytes of the body; returns whether they are headway. */
    boolean bodyCame(int count) {
        bodyBytes += count;
        stepBytes += count;
        boolean headway = stepBytes >= STEP_BYTES;
        if (headway) {
            lastStepNanos = stepNanos();
            beginStep();
        }
        return headway;
    }

    /** How much of the body has come. */
    long bodyBytes() {
        return bodyBytes;
    }

    /**
     * How long the client takes for 64 KiB: the time of the last step, or of the step that goes on
     * if that is longer.
     */
    long slownessNanos() {
        return Math.max(lastStepNanos, stepNanos());
    }

    private long stepNanos() {
        return loop.nanoTime() - stepFromNanos;
    }

    private void beginStep() {
        stepBytes = 0;
        stepFromNanos = loop.nanoTime();
    }
}

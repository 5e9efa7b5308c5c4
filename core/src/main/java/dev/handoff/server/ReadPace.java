package dev.handoff.server;

import java.util.function.LongSupplier;

/**
 * Measures how fast the request that is being read comes: how long its client takes for each 64
 * KiB. Belongs to one thread, or to one lock.
 */
final class ReadPace {
    /** This much is headway. */
    static final int STEP_BYTES = 64 * 1024;

    private final LongSupplier nanoTime;
    private long bodyBytes;
    private int stepBytes;
    private long stepFromNanos;
    private long lastStepNanos;

    /** The time that was not the client's, before the latest of it. */
    private long stoodNanos;

    /** Whether its time does not run, since then. */
    private boolean standsStill;

    private long stillFromNanos;

    /**
     * @param nanoTime a clock of that thread, or of any
     */
    ReadPace(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
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

    /** The client is not to send from now on, so that its time stands still. */
    void standStill() {
        if (!standsStill) {
            stillFromNanos = nanoTime.getAsLong();
            standsStill = true;
        }
    }

    /** It may send again. */
    void goOn() {
        if (standsStill) {
            stoodNanos += nanoTime.getAsLong() - stillFromNanos;
            standsStill = false;
        }
    }

    private long stepNanos() {
        return clientNanos() - stepFromNanos;
    }

    private void beginStep() {
        stepBytes = 0;
        stepFromNanos = clientNanos();
    }

    private long clientNanos() {
        return (standsStill ? stillFromNanos : nanoTime.getAsLong()) - stoodNanos;
    }
}

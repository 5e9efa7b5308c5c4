package dev.handoff.loop;

import java.io.IOException;

/** Hears what a loop cannot deal with itself. Called on the loop's thread; must not block. */
public interface LoopListener {
    LoopListener NONE = new LoopListener() {};

    /** The listener for loop number {@code index}, from 0; asked once, before the loop starts. */
    default LoopListener ofLoop(int index) {
        return this;
    }

    /**
     * The loop has done all there was to do. Comes thousands of times a second.
     *
     * @param waitedNanos how long it slept before
     * @param workedNanos how long it took; what came meanwhile has waited so long at most
     */
    default void onTurn(long waitedNanos, long workedNanos) {}

    /** An event, task or timer threw: a bug of ours or of a handler. The loop goes on. */
    default void onFailure(Throwable failure) {}

    /** {@code accept} failed, as it does without free descriptors; it is tried again shortly. */
    default void onAcceptFailed(IOException failure) {}
}

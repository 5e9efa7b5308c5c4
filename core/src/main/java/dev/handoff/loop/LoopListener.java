package dev.handoff.loop;

import java.io.IOException;

/** Hears what a loop cannot answer itself. Called on the loop's thread; must not block. */
public interface LoopListener {
    LoopListener NONE = new LoopListener() {};

    /** An event, task or timer threw: a bug of ours or of a handler. The loop goes on. */
    default void onFailure(EventLoop loop, Throwable failure) {}

    /** {@code accept} failed, as it does without free descriptors; it is tried again shortly. */
    default void onAcceptFailed(EventLoop loop, IOException failure) {}
}

package dev.handoff.loop;

/** Handles the events of one registered channel. Called on the loop's thread. */
interface ChannelEvents {
    /**
     * The channel is ready.
     *
     * @param readyOps the operations, as in {@link java.nio.channels.SelectionKey#readyOps()}
     */
    void onReady(int readyOps);

    /** {@link #onReady} threw; the loop has told its listener. Closes the channel. */
    void onFailure();

    /** The loop ends. Closes the channel. */
    void onLoopStopped();
}

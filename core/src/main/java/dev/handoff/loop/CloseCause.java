package dev.handoff.loop;

/** Why a {@link StreamSocket} is closed. */
public enum CloseCause {
    /** Its owner closed it. */
    LOCAL,
    /** The peer reset it, or the system reported an error on it. */
    RESET,
    /** The peer took no byte for the length of the write stall timeout. */
    WRITE_TIMEOUT,
    /** Its owner threw an exception: a bug. */
    FAILED,
    /** The loop ended. */
    LOOP_STOPPED
}

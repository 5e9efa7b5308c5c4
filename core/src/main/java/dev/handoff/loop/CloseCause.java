package dev.handoff.loop;

/** Why a {@link StreamSocket} is closed. */
public enum CloseCause {
    /** Its owner closed it. */
    LOCAL,
    /** The peer reset it, or the system reported an error on it. */
    RESET,
    /** The peer took less than 64 KiB within the write timeout. */
    WRITE_TIMEOUT,
    /** The peer spoke no TLS, or broke its rules, or said that we did. */
    TLS_FAILED,
    /** The TLS handshake took too long, or a record did while others needed its room. */
    TLS_TIMEOUT,
    /** Its owner threw an exception: a bug. */
    FAILED,
    /** The loop ended. */
    LOOP_STOPPED
}

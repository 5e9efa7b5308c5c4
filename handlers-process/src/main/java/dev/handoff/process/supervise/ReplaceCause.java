package dev.handoff.process.supervise;

/** Why a process is replaced by a new one. */
public enum ReplaceCause {
    /** Somebody asked for it: the handler may have changed. */
    RELOAD,
    /** Somebody asked for this one to go. */
    DRAIN,
    /** It has answered as many requests as one process shall. */
    REQUESTS,
    /** It has run as long as one process shall. */
    AGE,
    /** It holds more memory than one process shall. */
    MEMORY
}

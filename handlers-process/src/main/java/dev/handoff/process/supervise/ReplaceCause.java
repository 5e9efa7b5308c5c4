package dev.handoff.process.supervise;

/** Why a process is replaced by a new one. */
public enum ReplaceCause {
    /** An operator asked for a reload: the handler may have changed. */
    RELOAD,
    /** An operator asked for this one to go. */
    DRAIN,
    /** It has answered as many requests as one process may. */
    REQUESTS,
    /** It has run for as long as one process may. */
    AGE,
    /** It holds more memory than one process may. */
    MEMORY
}

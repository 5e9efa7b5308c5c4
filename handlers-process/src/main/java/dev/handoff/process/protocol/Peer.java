package dev.handoff.process.protocol;

/** The two ends of a worker connection. */
public enum Peer {
    WORKER,
    CORE
}

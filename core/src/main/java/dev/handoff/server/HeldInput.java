package dev.handoff.server;

/** What a connection holds of its client's bytes, other than requests. */
interface HeldInput {
    long heldBytes();

    /** Whether that is so much that it may have to go for others. */
    boolean isLarge();

    /** How long its client, or its handler, takes for each 64 KiB of it. */
    long slownessNanos();
}

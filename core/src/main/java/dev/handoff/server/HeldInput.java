package dev.handoff.server;

/** What a connection holds of its client's bytes, other than requests. */
interface HeldInput {
    long heldBytes();

    /** How long its client, or its handler, takes for each 64 KiB of that. */
    long slownessNanos();
}

package dev.handoff.launcher.access;

/** Formats entries as lines. Belongs to the log's thread. */
interface AccessFormat {
    /** Appends one line with its end. */
    void append(AccessEntry entry, StringBuilder lines);
}

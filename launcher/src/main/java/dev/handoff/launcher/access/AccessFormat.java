package dev.handoff.launcher.access;

/** Makes lines of entries. Belongs to the log's thread. */
interface AccessFormat {
    /** Appends one line with its end. */
    void append(AccessEntry entry, StringBuilder lines);
}

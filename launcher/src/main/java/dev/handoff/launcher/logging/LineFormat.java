package dev.handoff.launcher.logging;

/** Formats lines, without their ends. Any thread. */
interface LineFormat {
    /** As text an entry may have several lines. */
    String line(LogEntry entry);

    String line(WorkerOutput output);
}

package dev.handoff.launcher.log;

/** Makes lines, without their ends. Any thread. */
interface LineFormat {
    String line(LogEntry entry);

    String line(WorkerOutput output);
}

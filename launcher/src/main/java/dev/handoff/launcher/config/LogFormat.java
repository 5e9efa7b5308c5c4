package dev.handoff.launcher.config;

/** How the lines of the log are written. */
public enum LogFormat {
    /** For people. */
    TEXT,
    /** For programs: each line is one JSON object. */
    JSON
}

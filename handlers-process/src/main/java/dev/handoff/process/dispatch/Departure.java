package dev.handoff.process.dispatch;

/**
 * The end of a worker's connection.
 *
 * @param why what the core found wrong with the worker, in words; empty if nothing
 */
public record Departure(LeaveReason reason, String why) {
    public static final String NOTHING_WRONG = "";

    /** Whether the core found something wrong with the worker. */
    public boolean isDiagnosed() {
        return !why.isEmpty();
    }
}

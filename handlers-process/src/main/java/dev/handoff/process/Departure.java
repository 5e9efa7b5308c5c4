package dev.handoff.process;

/**
 * How a worker's connection ended.
 *
 * @param why what the core found wrong with the worker, in words; empty if nothing
 */
public record Departure(LeaveReason reason, String why) {
    static final String NOTHING_WRONG = "";

    boolean isDiagnosed() {
        return !why.isEmpty();
    }
}

package dev.handoff.admin.api;

/** The outcome of a reload of the whole server. */
public sealed interface ReloadOutcome {
    /**
     * The server serves as the configuration says, with new workers.
     *
     * @param remark what may surprise the operator; empty for nothing
     */
    record Done(String remark) implements ReloadOutcome {}

    /** All goes on as before, or some workers do. */
    record Failed(String why) implements ReloadOutcome {}
}

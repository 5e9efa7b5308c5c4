package dev.handoff.admin.api;

/** The outcome of a reload of the whole server. */
public sealed interface ReloadOutcome {
    /**
     * The server serves as the configuration says, with new workers.
     *
     * @param remark what may surprise the operator; empty for nothing
     */
    record Done(String remark) implements ReloadOutcome {}

    /** The reload failed: some workers, or all, go on as before. */
    record Failed(String why) implements ReloadOutcome {}
}

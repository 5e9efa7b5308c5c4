package dev.handoff.process.supervise;

import java.util.List;

/**
 * The reason why a process ended, or did not get ready, without being asked to.
 *
 * @param worker whose it was
 * @param reason in words, such as {@code exit code 1 before it was ready}
 * @param lastStderr its last lines on stderr, oldest first
 */
public record WorkerError(String worker, String reason, List<String> lastStderr) {
    public WorkerError {
        lastStderr = List.copyOf(lastStderr);
    }

    /** The last line of its stderr that is not blank, which mostly says why; empty if none. */
    public String lastComplaint() {
        return LastComplaint.of(lastStderr);
    }

    /** In one line. */
    public String summary() {
        String complaint = lastComplaint();
        return worker + ": " + reason + (complaint.isEmpty() ? "" : " (" + complaint + ")");
    }
}

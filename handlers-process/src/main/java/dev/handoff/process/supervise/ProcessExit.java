package dev.handoff.process.supervise;

import java.util.List;

/**
 * How a worker process ended.
 *
 * @param pid what its process id was
 * @param code its exit code; 128 and the number of a signal that ended it
 * @param expected whether it was told to end, or had said that it would
 * @param lastStderr its last lines on stderr, oldest first
 */
public record ProcessExit(long pid, int code, boolean expected, List<String> lastStderr) {
    private static final int SIGNAL_BASE = 128;
    private static final int LAST_SIGNAL = 64;

    public ProcessExit {
        lastStderr = List.copyOf(lastStderr);
    }

    /** The same end, of a process of which it is expected or not. */
    ProcessExit ifExpected(boolean isExpected) {
        return new ProcessExit(pid, code, isExpected, lastStderr);
    }

    /** The line of stderr that tells most of why it ended; empty if it wrote none. */
    public String lastComplaint() {
        return LastComplaint.of(lastStderr);
    }

    /** The code in words: {@code exit code 1} or {@code signal 9}. */
    public String describe() {
        int signal = code - SIGNAL_BASE;
        return signal > 0 && signal <= LAST_SIGNAL ? "signal " + signal : "exit code " + code;
    }
}

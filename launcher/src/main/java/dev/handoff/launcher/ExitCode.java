package dev.handoff.launcher;

/** The exit codes of the program, listed in docs/OPERATING.md. Each has one meaning. */
final class ExitCode {
    /** It was told to stop, and every request in hand was finished. */
    static final int CLEAN = 0;

    /** It could not start, or could not finish what was in hand. */
    static final int FAILED = 1;

    /** An option, a variable or a file is not as expected. */
    static final int BAD_USAGE = 2;

    // 3 is Java's, for an exhausted heap (-XX:+ExitOnOutOfMemoryError in the script handoff).

    /** No worker has ever become ready, and nothing would change that. */
    static final int NO_WORKER = 4;

    private ExitCode() {}
}

package dev.handoff.launcher.logging;

import java.util.List;
import java.util.regex.Pattern;

/** Advice for a worker that ended because another has the port that it opens. */
final class PortAdvice {
    /** In the words of Node, Java and Go, and in those of Python and C. */
    private static final Pattern TAKEN = Pattern.compile("EADDRINUSE|[Aa]ddress already in use");

    private PortAdvice() {}

    /**
     * For a worker that starts while its predecessor serves.
     *
     * @param stderr its last lines
     * @return empty if that is not why it ended
     */
    static String ofSuccessor(List<String> stderr) {
        return isTaken(stderr)
                ? "it opens a port that the worker before it still has: --stop-first (key stopFirst)"
                        + " ends that one first"
                : "";
    }

    /** For a worker that starts beside others. */
    static String ofStart(List<String> stderr) {
        return isTaken(stderr)
                ? "it opens a port that another worker has: give each its own, by the name in"
                        + " HANDOFF_WORKER, or start only one (--workers 1)"
                : "";
    }

    private static boolean isTaken(List<String> stderr) {
        return stderr.stream().anyMatch(line -> TAKEN.matcher(line).find());
    }
}

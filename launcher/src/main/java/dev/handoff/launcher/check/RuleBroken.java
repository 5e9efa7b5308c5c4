package dev.handoff.launcher.check;

/** The worker does not do what a case awaits of it. The message says what came instead. */
final class RuleBroken extends Exception {
    private static final long serialVersionUID = 1;

    RuleBroken(String message) {
        super(message, null, false, false);
    }

    /** What came instead. */
    String what() {
        return String.valueOf(getMessage());
    }
}

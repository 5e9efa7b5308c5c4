package dev.handoff.launcher;

/** The user asked for something that is not offered. The message is one line, for the user. */
final class UsageException extends Exception {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}

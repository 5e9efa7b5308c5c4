package dev.handoff.launcher.config;

/** The user asked for something that does not exist. The message is one line, for the user. */
public final class UsageException extends Exception {
    private static final long serialVersionUID = 1;

    public UsageException(String message) {
        super(message);
    }
}

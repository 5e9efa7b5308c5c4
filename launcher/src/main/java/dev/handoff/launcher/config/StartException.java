package dev.handoff.launcher.config;

/** The system does not allow the start. The message is one line, for the user. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}

package dev.handoff.launcher;

/** The world does not allow the start. The message is one line, for the user. */
final class StartException extends Exception {
    private static final long serialVersionUID = 1;

    StartException(String message) {
        super(message);
    }

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}

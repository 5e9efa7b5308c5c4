package dev.handoff.launcher.operator;

/**
 * The admin server cannot be reached, or its response is not as expected; the message is for its
 * user.
 */
public final class AdminException extends Exception {
    private static final long serialVersionUID = 1;

    AdminException(String message) {
        super(message);
    }
}

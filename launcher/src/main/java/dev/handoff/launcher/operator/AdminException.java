package dev.handoff.launcher.operator;

/**
 * The admin server is not there, or does not answer what was asked; the message is for its user.
 */
public final class AdminException extends Exception {
    private static final long serialVersionUID = 1;

    AdminException(String message) {
        super(message);
    }
}

package dev.handoff.system;

import java.io.IOException;

/**
 * There is another thing at a path than there was at the look before, or somebody holds it for now.
 * Whoever looks again may find it.
 */
public final class ChangingException extends IOException {
    private static final long serialVersionUID = 1L;

    ChangingException(String message) {
        super(message);
    }
}

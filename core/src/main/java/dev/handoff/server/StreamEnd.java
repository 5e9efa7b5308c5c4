package dev.handoff.server;

/** How a response in pieces ended. */
public enum StreamEnd {
    COMPLETE,
    /** The client left, or did not take what was sent, or did not send all of its request. */
    CLIENT_GONE,
    /** The server stopped without waiting. */
    SERVER_STOPPED,
    /** No piece came for {@link ServerLimits#streamIdleTimeout}. */
    IDLE,
    /** The handler failed, or its process was lost. */
    FAILED,
    /** The handler has to leave, and could not end it in time. */
    DRAINED,
    /** The content did not have the length that the handler gave. */
    BAD_LENGTH;

    /** The end for the reason why the rest is not wanted any more. */
    static StreamEnd of(Abandonment reason) {
        return switch (reason) {
            case CLIENT_GONE, CONTENT_CUT, DEADLINE, NO_CONTENT -> CLIENT_GONE;
            case SERVER_STOPPED -> SERVER_STOPPED;
            case STREAM_IDLE -> IDLE;
            case BAD_RESPONSE -> BAD_LENGTH;
        };
    }
}

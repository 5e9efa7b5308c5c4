package dev.handoff.server;

import dev.handoff.loop.CloseCause;
import dev.handoff.loop.StreamSocket;

/**
 * Why a connection ends: the reason that was given last, unless its socket knows a better one.
 * Belongs to the loop's thread.
 */
final class Ending {
    private final StreamSocket socket;
    private ConnectionEnd reason = ConnectionEnd.CLIENT_CLOSED;
    private boolean draining;

    Ending(StreamSocket socket) {
        this.socket = socket;
    }

    /** The reason from now on, whatever closes the connection. */
    void because(ConnectionEnd newReason) {
        reason = newReason;
    }

    /** The server drains: what ends in order from now on ends for that. */
    void drain() {
        draining = true;
    }

    boolean isDraining() {
        return draining;
    }

    /**
     * It ends in order.
     *
     * @param usually the reason unless the server drains
     */
    void inOrder(ConnectionEnd usually) {
        reason = draining ? ConnectionEnd.DRAINED : usually;
    }

    /** The server stops, whether or not the client has what it was given. */
    void becauseStopped() {
        boolean sentAll = socket.sentBytes() == socket.givenBytes();
        reason = sentAll ? ConnectionEnd.STOPPED : ConnectionEnd.CUT_OFF;
    }

    /**
     * The socket is closed.
     *
     * @param last what the connection was doing
     */
    void closed(CloseCause cause, ConnectionState last) {
        switch (cause) {
            case LOCAL -> {}
            case RESET -> {
                // A client that has all it waited for may go as it likes.
                if (last != ConnectionState.LINGERING) {
                    reason = ConnectionEnd.RESET;
                }
            }
            case WRITE_TIMEOUT -> reason = ConnectionEnd.WRITE_TIMEOUT;
            case TLS_FAILED -> reason = ConnectionEnd.TLS_FAILED;
            case TLS_TIMEOUT -> reason = ConnectionEnd.TLS_TIMEOUT;
            case FAILED -> reason = ConnectionEnd.FAILED;
            case LOOP_STOPPED -> becauseStopped();
        }
    }

    ConnectionEnd reason() {
        return reason;
    }

    /** What the end means for the requests that are not answered. */
    Abandonment abandonment() {
        return reason == ConnectionEnd.STOPPED || reason == ConnectionEnd.CUT_OFF
                ? Abandonment.SERVER_STOPPED
                : Abandonment.CLIENT_GONE;
    }
}

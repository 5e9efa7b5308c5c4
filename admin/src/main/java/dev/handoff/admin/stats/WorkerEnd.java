package dev.handoff.admin.stats;

import dev.handoff.process.dispatch.LeaveReason;

/** Why a worker ended, for counting. */
public enum WorkerEnd {
    /** It had finished its work, after it or the core had asked for its end. */
    DRAINED,
    /** It closed its socket, or died. */
    CLOSED,
    /** It sent something that is not the protocol. */
    PROTOCOL_FAULT,
    /** It began a frame and did not go on with it. */
    FRAME_TIMEOUT,
    /** It kept a cancelled request beyond the grace, or read nothing, or did not answer a ping. */
    STUCK,
    /** An operator asked for its end, whatever it held. */
    KILLED,
    /** The core stopped. */
    STOPPED,
    /** Its process ended, or could not be started, without ever saying hello. */
    NEVER_JOINED;

    static WorkerEnd of(LeaveReason reason) {
        return switch (reason) {
            case DRAINED -> DRAINED;
            case CLOSED -> CLOSED;
            case PROTOCOL_FAULT -> PROTOCOL_FAULT;
            case FRAME_TIMEOUT -> FRAME_TIMEOUT;
            case STUCK -> STUCK;
            case KILLED -> KILLED;
            case STOPPED -> STOPPED;
        };
    }
}

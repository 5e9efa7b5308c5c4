package dev.handoff.process.dispatch;

/** Why a worker's connection ended. */
public enum LeaveReason {
    /** It was asked to, or asked to, and had finished its work. */
    DRAINED,
    /** It closed its socket, or died. */
    CLOSED,
    /** It sent something that is not the protocol. */
    PROTOCOL_FAULT,
    /** It began a frame and did not go on with it. */
    FRAME_TIMEOUT,
    /** It kept a request beyond deadline and grace, or read nothing, or did not answer a ping. */
    STUCK,
    /** An operator asked for its end, whatever it held. */
    KILLED,
    /** The core stopped. */
    STOPPED
}

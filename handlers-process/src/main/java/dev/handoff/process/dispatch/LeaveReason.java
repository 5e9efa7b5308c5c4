package dev.handoff.process.dispatch;

/** Why a worker's connection ended. */
public enum LeaveReason {
    /** The core asked it to leave, or it asked to, and it had finished its work. */
    DRAINED,
    /** It closed its socket, or died. */
    CLOSED,
    /** It sent something that is not the protocol. */
    PROTOCOL_FAULT,
    /** It began a frame and did not go on with it. */
    FRAME_TIMEOUT,
    /**
     * It kept a request beyond deadline and grace, read nothing, or did not answer a ping; or the
     * core could not complete a frame to it.
     */
    STUCK,
    /** An operator asked for its end, whatever it held. */
    KILLED,
    /** The core stopped. */
    STOPPED
}

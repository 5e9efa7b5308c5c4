package dev.handoff.server;

/** Why a connection ended: the reason that is counted. */
public enum ConnectionEnd {
    /** The client closed it, between requests or in the middle of one. */
    CLIENT_CLOSED,
    /** The client reset it, or the network did. */
    RESET,
    /** A response that closes it was sent: the client or the version asked for that. */
    NOT_PERSISTENT,
    /** A WebSocket was closed, by either side. */
    WEBSOCKET_CLOSED,
    /** A request was refused. */
    REFUSED,
    /** The client spoke no TLS where it has to, or one of the two broke off the TLS connection. */
    TLS_FAILED,
    /** The client took too long for the TLS handshake, or for a record while room was short. */
    TLS_TIMEOUT,
    /** It was idle for too long. */
    IDLE_TIMEOUT,
    /** Its client was silent for longest when all places were taken, and another one came. */
    EVICTED,
    /** The client took too little of its response for too long. */
    WRITE_TIMEOUT,
    /** The client did not take its responses, while all responses together took too much memory. */
    BUFFERS_FULL,
    /** The server drains. */
    DRAINED,
    /** The server stopped without waiting. */
    STOPPED,
    /** The same, while a response was on its way: the client has a part of it. */
    CUT_OFF,
    /** A response in pieces broke off: the client has a part of it. */
    RESPONSE_CUT,
    /** A bug of ours or of the handler's. */
    FAILED
}

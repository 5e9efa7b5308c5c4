package dev.handoff.server;

/** Why the response to a request is no longer wanted. */
public enum Abandonment {
    /** The client closed its connection. */
    CLIENT_GONE,
    /** The request's deadline passed; the client has been told. */
    DEADLINE,
    /** The server stops without waiting. */
    SERVER_STOPPED
}

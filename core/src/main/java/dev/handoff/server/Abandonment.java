package dev.handoff.server;

/** Why the response to a request is no longer wanted. */
public enum Abandonment {
    /** The client closed its connection. */
    CLIENT_GONE,
    /** The rest of the request's content was refused, or came too slowly; the client is told. */
    CONTENT_CUT,
    /** The request's deadline passed; the client has been told. */
    DEADLINE,
    /** The server stops without waiting. */
    SERVER_STOPPED,
    /** No piece of the response came for too long; the client is cut off. */
    STREAM_IDLE,
    /** The response broke a rule; the client has been told, or is cut off. */
    BAD_RESPONSE,
    /** The response is complete without the content that was to come, as after HEAD. */
    NO_CONTENT
}

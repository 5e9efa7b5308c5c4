package dev.handoff.http;

/** How a client finds the end of a response whose content comes in pieces (RFC 9112 section 6). */
public enum ContentFraming {
    /** The handler gave a Content-Length, which has to come true. */
    LENGTH,
    /** Each piece is a chunk. */
    CHUNKED,
    /** It ends with the connection, since the client speaks HTTP/1.0. */
    CLOSE
}

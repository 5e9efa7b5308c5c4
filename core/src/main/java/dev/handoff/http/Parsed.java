package dev.handoff.http;

/** What the {@link RequestParser} says about the next request of a connection. */
public sealed interface Parsed {

    /** The request has not come to its end yet: give more bytes. */
    enum Incomplete implements Parsed {
        INCOMPLETE
    }

    /**
     * One whole request.
     *
     * @param persistent whether the client wants the connection to stay open after the response
     *     (RFC 9112 section 9.3): 1.1 unless it said {@code close}, 1.0 only if it said {@code
     *     keep-alive}
     */
    record Complete(Request request, boolean persistent) implements Parsed {}

    /** The bytes are not a request that is served. Where the next one would begin is unknown. */
    record Refused(Refusal refusal) implements Parsed {}
}

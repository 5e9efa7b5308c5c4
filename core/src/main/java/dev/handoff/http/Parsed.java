package dev.handoff.http;

/** What the {@link RequestParser} says about the next request of a connection. */
public sealed interface Parsed {

    /** The request is incomplete: parse more bytes. */
    enum Incomplete implements Parsed {
        INCOMPLETE
    }

    /** The rest of the content has come of a request that was handed over before it. */
    enum ContentEnd implements Parsed {
        CONTENT_END
    }

    /**
     * One request: whole, or with content that {@linkplain Body#arriving arrives}.
     *
     * @param persistent whether the client wants the connection to stay open after the response
     *     (RFC 9112 section 9.3): 1.1 unless it said {@code close}, 1.0 only if it said {@code
     *     keep-alive}
     */
    record Complete(Request request, boolean persistent) implements Parsed {}

    /** The server refuses the request. Nobody knows where the next one would begin. */
    record Refused(Refusal refusal) implements Parsed {}
}

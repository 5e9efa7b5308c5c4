package dev.handoff.http;

/** What the {@link ResponseParser} has found next in the bytes of a server. */
public sealed interface ResponsePart {

    /** The part is incomplete: parse more bytes. */
    enum Incomplete implements ResponsePart {
        INCOMPLETE
    }

    /**
     * The head of the response; content and {@link End} follow. Behind a 101 nothing follows that
     * is HTTP.
     *
     * @param response without its content
     * @param contentBytes how long that is; -1 if only its end will show
     */
    record Head(Response response, long contentBytes) implements ResponsePart {}

    /**
     * The response is whole.
     *
     * @param persistent whether the connection may be used again
     */
    record End(boolean persistent) implements ResponsePart {}

    /**
     * The server broke a rule of HTTP. Nobody knows where its next response would begin.
     *
     * @param why in words, for who runs the server
     */
    record Refused(String why) implements ResponsePart {}
}

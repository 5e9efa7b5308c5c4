package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * A final response of a handler. The server owns framing and connection fields: it computes
 * Content-Length, adds Date and drops hop-by-hop fields.
 *
 * @param status 200 to 599
 * @param reason the reason phrase, or null for the usual one
 * @param headers names and values as they go on the wire
 * @param body the content; not sent to HEAD, or with 204 and 304
 */
public record Response(int status, @Nullable String reason, Headers headers, Body body) {

    /** The memory of a response besides its fields and content. */
    private static final int OBJECT_BYTES = 128;

    /** About how much memory it takes while it waits for those before it. */
    public long heldBytes() {
        return OBJECT_BYTES + headers.heldBytes() + body.sizeBytes();
    }

    public static Response of(int status, Headers headers, Body body) {
        return new Response(status, null, headers, body);
    }

    /** A UTF-8 text response. */
    public static Response text(int status, String text) {
        return of(status, Headers.of("content-type", "text/plain; charset=utf-8"), Body.utf8(text));
    }
}

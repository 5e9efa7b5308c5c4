package dev.handoff.launcher.access;

import org.jspecify.annotations.Nullable;

/**
 * What the access log says about one request. Created on an event loop and written on the log's
 * thread. It keeps no request or response, and at most {@link #MOST_CHARACTERS} of a text that a
 * client chose.
 *
 * @param epochMillis when it was answered or given up
 * @param client {@code address:port}
 * @param method empty if it is not known
 * @param target empty if it is not known
 * @param status what the client was sent; {@link #CLIENT_GONE} or {@link #NONE} if nothing
 * @param bodyBytes of the response
 * @param durationNanos since the whole request was here; {@link #UNKNOWN} if it never was
 * @param waitNanos for a worker; {@link #UNKNOWN} if no pool got the request
 * @param handlerNanos in a worker; {@link #UNKNOWN} if none got it
 * @param traceId of its {@code traceparent}; null if it has none that is valid
 * @param error why the handler did not answer, as in Handoff-Error; null if it did
 */
record AccessEntry(
        long epochMillis,
        String client,
        String method,
        String target,
        @Nullable String version,
        int status,
        long bodyBytes,
        long durationNanos,
        long waitNanos,
        long handlerNanos,
        @Nullable String pool,
        @Nullable String worker,
        @Nullable String requestId,
        @Nullable String traceId,
        @Nullable String userAgent,
        @Nullable String referer,
        @Nullable String error) {

    /** Stands for what was not measured. */
    static final long UNKNOWN = -1;

    /** No status of HTTP: the number that nginx has for a client that left before its response. */
    static final int CLIENT_GONE = 499;

    /** The server stopped before it answered. */
    static final int NONE = 0;

    /** The limit of a text; three dots follow where it was longer. */
    static final int MOST_CHARACTERS = 1024;

    /** The entry itself, its place in a ring, and what many of them share. */
    private static final int ENTRY_BYTES = 128;

    /** What a text holds besides its characters: two objects, and their padding. */
    private static final int TEXT_BYTES = 48;

    AccessEntry {
        method = cut(method);
        target = cut(target);
        userAgent = userAgent == null ? null : cut(userAgent);
        referer = referer == null ? null : cut(referer);
    }

    /** About how much memory it holds. Texts have a byte for each character, as HTTP has. */
    int heldBytes() {
        return ENTRY_BYTES
                + heldBytes(client)
                + heldBytes(method)
                + heldBytes(target)
                + heldBytes(requestId)
                + heldBytes(traceId)
                + heldBytes(userAgent)
                + heldBytes(referer)
                + heldBytes(error);
    }

    private static int heldBytes(@Nullable String text) {
        return text == null ? 0 : TEXT_BYTES + text.length();
    }

    private static String cut(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "...";
    }
}

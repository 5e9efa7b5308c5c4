package dev.handoff.http;

import java.util.List;

/**
 * One whole request, as the handler sees it.
 *
 * @param method the method token, case-sensitive (RFC 9110 section 9.1); not only the known ones
 * @param target in origin form, or {@code *}; raw: neither decoded nor normalised
 * @param version what the client speaks
 * @param headers names in lower-case, values as ISO-8859-1 without surrounding white space
 * @param body the content, freed of its framing; empty where there was none
 */
public record Request(
        String method, String target, HttpVersion version, Headers headers, Body body) {
    private static final List<String> NAMED_IN_LOGS =
            List.of("accept", "referer", "traceparent", "user-agent");

    private static final int LONGEST_KEPT = 512;

    /** The memory of a request besides its fields and content, in a server and in a pool. */
    private static final int OBJECT_BYTES = 1024;

    /** The same of one that is answered: the pool is done with it. */
    private static final int ANSWERED_BYTES = 256;

    /** About how much memory it takes while it waits for its response, but for its content. */
    public long headBytes() {
        return OBJECT_BYTES + 2L * target.length() + headers.heldBytes();
    }

    /** About how much memory it takes while its response waits for those before it. */
    public long answeredBytes() {
        return headBytes() - OBJECT_BYTES + ANSWERED_BYTES;
    }

    /**
     * What is still of use once the response has begun, which may last for hours: no content, and
     * of the fields those alone that logs name, unless they are long.
     */
    public Request inBrief() {
        Headers.Builder kept = new Headers.Builder();
        for (String name : NAMED_IN_LOGS) {
            String value = headers.first(name);
            if (value != null && value.length() <= LONGEST_KEPT) {
                kept.add(name, value);
            }
        }
        return new Request(method, target, version, kept.build(), Body.EMPTY);
    }

    /** Whether the method is safe (RFC 9110 section 9.2.1), so that it may run beside others. */
    public boolean isSafe() {
        return switch (method) {
            case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
            default -> false;
        };
    }
}

package dev.handoff.http;

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

    /** The same request, with other content. */
    public Request withBody(Body other) {
        return new Request(method, target, version, headers, other);
    }

    /** Whether the method is safe (RFC 9110 section 9.2.1), so that it may run beside others. */
    public boolean isSafe() {
        return switch (method) {
            case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
            default -> false;
        };
    }
}

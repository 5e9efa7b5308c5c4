package dev.handoff.process.protocol;

/**
 * How long the two parts of a frame may be. The decoder refuses a longer one as soon as it has the
 * prefix, before it allocates anything.
 *
 * @param jsonBytes the longest JSON accepted
 * @param bodyBytes the longest body accepted
 */
public record FrameLimits(int jsonBytes, int bodyBytes) {
    public static final int DEFAULT_JSON_BYTES = 1024 * 1024;

    /** The shortest JSON object is {@code {}}. */
    static final int SHORTEST_JSON_BYTES = 2;

    public FrameLimits {
        if (jsonBytes < SHORTEST_JSON_BYTES || bodyBytes < 0) {
            throw new IllegalArgumentException(
                    "limits of " + jsonBytes + " and " + bodyBytes + " bytes");
        }
    }

    /** The usual limit for JSON, and this one for bodies. */
    public static FrameLimits ofBody(int bodyBytes) {
        return new FrameLimits(DEFAULT_JSON_BYTES, bodyBytes);
    }
}

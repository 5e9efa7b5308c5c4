package dev.handoff.http;

/**
 * The limits beyond which the parser refuses a request: sizes, and the characters of a target.
 *
 * @param targetBytes length of the request target as sent; beyond it 414
 * @param headBytes request line and header section with all their line ends, and apart from that
 *     the trailer section of a chunked body; beyond it 431
 * @param fields field lines in the header section, and apart from that in the trailer section;
 *     beyond it 431
 * @param bodyBytes content freed of its framing; beyond it 413
 * @param strictTargets whether a target has only the characters of RFC 3986; otherwise also those
 *     that browsers send, as the URL standard (WHATWG) leaves them unencoded: {@code |} in a path,
 *     and <code>| { } ^ ` \\</code> in a query
 */
public record ParserLimits(
        int targetBytes, int headBytes, int fields, int bodyBytes, boolean strictTargets) {
    public static final ParserLimits DEFAULT =
            new ParserLimits(8 * 1024, 32 * 1024, 100, 8 * 1024 * 1024, false);

    /** The longest array that every JVM can make, in bytes. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 64;

    /** Accepts the targets that browsers send. */
    public ParserLimits(int targetBytes, int headBytes, int fields, int bodyBytes) {
        this(targetBytes, headBytes, fields, bodyBytes, false);
    }

    public ParserLimits {
        requireRange("targetBytes", targetBytes, 1, MAX_BYTES);
        requireRange("headBytes", headBytes, 1, MAX_BYTES);
        requireRange("fields", fields, 1, MAX_BYTES);
        requireRange("bodyBytes", bodyBytes, 0, MAX_BYTES);
    }

    private static void requireRange(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    what + " is " + value + ", not from " + least + " to " + most);
        }
    }
}

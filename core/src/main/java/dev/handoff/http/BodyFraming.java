package dev.handoff.http;

/** How the end of a request's body is found, or why that is in doubt. */
sealed interface BodyFraming {

    /** The framings that need no length. */
    enum Plain implements BodyFraming {
        /** There is no body. */
        NONE,
        CHUNKED
    }

    /** A body of a known length, at least one byte. */
    record Length(int bytes) implements BodyFraming {}

    /** The fields don't say where the body ends, or it is too long. */
    record Refused(Refusal refusal) implements BodyFraming {}

    /**
     * The decision list of RFC 9112 section 6.3 for requests, read strictly. It refuses a request
     * in which two readers could find different ends, since requests are smuggled that way.
     *
     * <ol>
     *   <li>Transfer-Encoding in HTTP/1.0: refused, since its sender may not know what it means.
     *   <li>Transfer-Encoding with Content-Length: refused.
     *   <li>Transfer-Encoding: must be {@code chunked} and nothing else, over all its lines.
     *   <li>Several Content-Length lines: refused, even when equal.
     *   <li>Content-Length: digits only, a number of at most 64 bits, and within the limit.
     *   <li>None of both: no body.
     * </ol>
     */
    static BodyFraming of(HttpVersion version, HeadFields fields, int maxBytes) {
        String codings = fields.transferEncoding();
        if (codings != null) {
            if (version == HttpVersion.HTTP_1_0) {
                return new Refused(Refusal.TRANSFER_ENCODING_IN_1_0);
            }
            if (fields.contentLengths() > 0) {
                return new Refused(Refusal.LENGTH_WITH_TRANSFER_ENCODING);
            }
            return ofCodings(codings);
        }
        return switch (fields.contentLengths()) {
            case 0 -> Plain.NONE;
            case 1 -> ofLength(fields.contentLength(), maxBytes);
            default -> new Refused(Refusal.DUPLICATE_CONTENT_LENGTH);
        };
    }

    private static BodyFraming ofCodings(String list) {
        if (list.equalsIgnoreCase("chunked")) {
            return Plain.CHUNKED;
        }
        String[] codings = list.split(",", -1);
        int last = codings.length - 1;
        if (!isChunked(codings[last])) {
            return new Refused(Refusal.CHUNKED_NOT_LAST);
        }
        for (int i = 0; i < last; i++) {
            if (codings[i].isBlank() || isChunked(codings[i])) {
                return new Refused(Refusal.CHUNKED_NOT_LAST);
            }
        }
        return new Refused(Refusal.UNKNOWN_TRANSFER_CODING);
    }

    private static boolean isChunked(String coding) {
        return coding.strip().equalsIgnoreCase("chunked");
    }

    private static BodyFraming ofLength(String value, int maxBytes) {
        if (!CharTables.isDigits(value)) {
            return new Refused(Refusal.BAD_CONTENT_LENGTH);
        }
        long length = 0;
        for (int i = 0; i < value.length(); i++) {
            int digit = value.charAt(i) - '0';
            // 10 * length + digit must not pass 2^64 - 1, whose last digit is 5.
            int room = Long.compareUnsigned(length, Long.divideUnsigned(-1L, 10));
            if (room > 0 || (room == 0 && digit > 5)) {
                return new Refused(Refusal.BAD_CONTENT_LENGTH);
            }
            length = 10 * length + digit;
        }
        if (Long.compareUnsigned(length, maxBytes) > 0) {
            return new Refused(Refusal.BODY_TOO_LARGE);
        }
        return length == 0 ? Plain.NONE : new Length((int) length);
    }
}

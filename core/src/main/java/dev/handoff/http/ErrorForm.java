package dev.handoff.http;

/**
 * The form of a response that the server makes itself: what the client can read.
 *
 * @param withContent not for HEAD (RFC 9110 section 9.3.2)
 * @param asProblem as {@code application/problem+json} (RFC 9457) instead of plain text
 */
public record ErrorForm(boolean withContent, boolean asProblem) {
    private static final String[] JSON = {"application/problem+json", "application/json"};

    /**
     * The form that a request asks for, as far as its head has arrived.
     *
     * @param method empty if it has not arrived
     * @param headers those that have arrived. An Accept field asks for problem+json if it names a
     *     JSON type with a weight above 0; ranges such as {@code *}{@code /*} say nothing
     */
    public static ErrorForm of(String method, Headers headers) {
        boolean asProblem = false;
        for (int i = 0; i < headers.size(); i++) {
            asProblem |= headers.name(i).equalsIgnoreCase("accept") && namesJson(headers.value(i));
        }
        return new ErrorForm(!method.equals("HEAD"), asProblem);
    }

    private static boolean namesJson(String accept) {
        boolean[] named = new boolean[1];
        FieldList.forEach(accept, (from, to) -> named[0] |= isJson(accept, from, to));
        return named[0];
    }

    /** media-range with its parameters and, as one of them, a weight. */
    private static boolean isJson(String accept, int from, int to) {
        int typeEnd = FieldList.endBefore(';', accept, from, to);
        int end = FieldList.withoutSpaceAtEnd(accept, from, typeEnd);
        for (String type : JSON) {
            if (FieldList.isToken(type, accept, from, end)) {
                return !hasWeightZero(accept, typeEnd, to);
            }
        }
        return false;
    }

    private static boolean hasWeightZero(String accept, int from, int to) {
        for (int at = from; at < to; ) {
            int start = FieldList.skipSpace(accept, at + 1, to);
            at = FieldList.endBefore(';', accept, start, to);
            if (accept.regionMatches(true, start, "q=0", 0, 3)
                    && isZero(accept, start + 2, FieldList.withoutSpaceAtEnd(accept, start, at))) {
                return true;
            }
        }
        return false;
    }

    /** qvalue = "0" [ "." 0*3DIGIT ] and so on; here: nothing but zeros and a point. */
    private static boolean isZero(String accept, int from, int to) {
        for (int i = from; i < to; i++) {
            if (accept.charAt(i) != '0' && accept.charAt(i) != '.') {
                return false;
            }
        }
        return from < to;
    }
}

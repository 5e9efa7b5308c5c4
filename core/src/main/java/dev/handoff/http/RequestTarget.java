package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * A request target, whichever form it came in (RFC 9112 section 3.2).
 *
 * @param originForm a path with an optional query, or {@code *}
 * @param authority the host and optional port of an absolute form, which outranks the Host field;
 *     null for the other forms
 */
record RequestTarget(String originForm, @Nullable String authority) {

    /** Null where the target is in none of the forms allowed for the method. */
    static @Nullable RequestTarget of(String method, String target) {
        if (target.charAt(0) == '/') {
            return new RequestTarget(target, null);
        }
        if (target.equals("*")) {
            return method.equals("OPTIONS") ? new RequestTarget(target, null) : null;
        }
        return absolute(method, target);
    }

    /**
     * absolute-form = ( "http" / "https" ) "://" authority path-abempty [ "?" query ]
     *
     * <p>RFC 9110 section 4.2.4 wants user information refused: it serves to disguise the host.
     */
    private static @Nullable RequestTarget absolute(String method, String target) {
        int start = schemeLength(target);
        if (start == 0) {
            return null;
        }
        int end = start;
        while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
            end++;
        }
        String authority = target.substring(start, end);
        if (!Authority.isValid(authority)) {
            return null;
        }
        String rest = target.substring(end);
        if (rest.isEmpty()) {
            // RFC 9112 section 3.2.4: the absolute spelling of OPTIONS *.
            return new RequestTarget(method.equals("OPTIONS") ? "*" : "/", authority);
        }
        return new RequestTarget(rest.charAt(0) == '/' ? rest : "/" + rest, authority);
    }

    private static int schemeLength(String target) {
        for (String scheme : new String[] {"http://", "https://"}) {
            if (target.regionMatches(true, 0, scheme, 0, scheme.length())) {
                return scheme.length();
            }
        }
        return 0;
    }
}

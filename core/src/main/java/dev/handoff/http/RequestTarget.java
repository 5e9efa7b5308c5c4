package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * A request target, in whichever form it came (RFC 9112 section 3.2).
 *
 * @param originForm a path with an optional query, or {@code *}
 * @param authority the host and optional port of an absolute form, which outranks the Host field;
 *     null for the other forms
 */
record RequestTarget(String originForm, @Nullable String authority) {
    private static final String HTTP = "http://";
    private static final String HTTPS = "https://";

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
        int start = hasScheme(HTTP, target) ? HTTP.length() : HTTPS.length();
        if (start == HTTPS.length() && !isHttps(target)) {
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

    /**
     * RFC 9110 section 7.4: unless a trusted gateway sent it, an https resource must not be served
     * over a connection without TLS. So the caller refuses such a target before it calls {@link
     * #of}.
     */
    static boolean isHttps(String target) {
        return hasScheme(HTTPS, target);
    }

    private static boolean hasScheme(String scheme, String target) {
        return target.regionMatches(true, 0, scheme, 0, scheme.length());
    }
}

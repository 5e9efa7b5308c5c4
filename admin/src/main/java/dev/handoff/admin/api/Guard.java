package dev.handoff.admin.api;

import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who may call. It keeps out other machines by a token, and other sites in an operator's browser:
 * one whose name suddenly means this machine (DNS rebinding) by the Host field, and one that posts
 * here by what browsers say about the origin.
 */
final class Guard {
    private static final String SCHEME = "bearer ";
    private static final Set<String> OWN_ORIGIN = Set.of("same-origin", "none");

    private final Set<String> hosts = new TreeSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));
    private final @Nullable AccessToken token;

    /**
     * @param host where the admin server listens
     * @param token null if whoever reaches it may call
     */
    Guard(String host, @Nullable AccessToken token) {
        this.hosts.add((host.contains(":") ? "[" + host + "]" : host).toLowerCase(Locale.ROOT));
        this.token = token;
    }

    /** Why not, or null if it may. */
    @Nullable Problem refuse(Request request, Endpoint.Access access) {
        Problem problem = refuseHost(request.headers());
        if (problem == null && access == Endpoint.Access.TOKEN) {
            problem = refuseToken(request.headers());
        }
        if (problem == null && !request.isSafe()) {
            problem = refuseOrigin(request.headers());
        }
        return problem;
    }

    /** Whether it bears the token, or none is needed; also where everybody may call. */
    boolean isAuthorised(Request request) {
        return refuseToken(request.headers()) == null;
    }

    /**
     * A page of another site can have its name mean this machine, and read what is here; but its
     * name stands in Host then, which no script can change, and it has no token. What is no browser
     * may leave Host out, in HTTP/1.0.
     */
    private @Nullable Problem refuseHost(Headers headers) {
        String host = headers.first("host");
        if (token != null || host == null || hosts.contains(withoutPort(host))) {
            return null;
        }
        return new Problem(
                421,
                "unknown_host",
                "Host is %s, but without a token (--admin-token-file) the admin server is only for %s."
                        .formatted(Problem.quoted(host), String.join(", ", hosts)));
    }

    private @Nullable Problem refuseToken(Headers headers) {
        if (token == null) {
            return null;
        }
        List<String> given = headers.all("authorization");
        if (given.isEmpty()) {
            return unauthorized("Bearer", "a token is needed: Authorization: Bearer TOKEN");
        }
        String value = given.getFirst();
        boolean bears = value.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
        if (given.size() == 1
                && bears
                && token.equalsInConstantTime(value.substring(SCHEME.length()).strip())) {
            return null;
        }
        return unauthorized("Bearer error=\"invalid_token\"", "the token is not the right one");
    }

    private static Problem unauthorized(String challenge, String detail) {
        return new Problem(401, "unauthorized", detail, Headers.of("www-authenticate", challenge));
    }

    /** What is no browser says neither. */
    private static @Nullable Problem refuseOrigin(Headers headers) {
        String site = headers.first("sec-fetch-site");
        String origin = headers.first("origin");
        boolean own =
                (site == null || OWN_ORIGIN.contains(site))
                        && (origin == null || isOwn(origin, headers.first("host")));
        return own
                ? null
                : new Problem(
                        403, "cross_origin", "a page of another origin must not change anything");
    }

    /** A proxy in front may speak TLS, so the scheme does not count. */
    private static boolean isOwn(String origin, @Nullable String host) {
        int authority = origin.indexOf("://");
        return authority >= 0 && origin.substring(authority + 3).equalsIgnoreCase(host);
    }

    private static String withoutPort(String authority) {
        int end = authority.startsWith("[") ? authority.indexOf(']') + 1 : authority.indexOf(':');
        return (end <= 0 ? authority : authority.substring(0, end)).toLowerCase(Locale.ROOT);
    }
}

package dev.handoff.admin.api;

import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may call. A token keeps out other machines. The token, or {@link LocalPeers the owner
 * of the socket}, keeps other users of this machine from changes. Two checks keep out other sites
 * in an operator's browser: the Host field, against a site whose name suddenly means this machine
 * (DNS rebinding), and the origin that browsers send, against a page that posts here.
 *
 * <p>A caller with a wrong token may try again at once. A token has at least 16 characters, too
 * many to guess, and the comparison reveals none of them. A brake would stop only operators who
 * share an address with the guesser. {@link RefusedCalls} counts and reports instead.
 */
final class Guard {
    private static final String SCHEME = "bearer ";
    private static final String JSON = "application/json";
    private static final Set<String> OWN_ORIGIN = Set.of("same-origin", "none");

    private final Set<String> hosts = new TreeSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));
    private final @Nullable AccessToken token;

    /**
     * @param host where the admin server listens
     * @param token null if everybody who reaches the port may call
     */
    Guard(String host, @Nullable AccessToken token) {
        this.hosts.add((host.contains(":") ? "[" + host + "]" : host).toLowerCase(Locale.ROOT));
        this.token = token;
    }

    /** The reason to refuse a request, or null. */
    @Nullable CallRefusal refuse(Request request, Endpoint.Access access) {
        Headers headers = request.headers();
        if (!isForThisHost(headers)) {
            return CallRefusal.UNKNOWN_HOST;
        }
        CallRefusal refusal = access == Endpoint.Access.TOKEN ? refuseToken(headers) : null;
        if (refusal == null && !request.isSafe() && !isOfOwnOrigin(headers)) {
            return CallRefusal.CROSS_ORIGIN;
        }
        return refusal;
    }

    /** Whether a call changes something and no token is set, so that its user decides. */
    boolean dependsOnUser(Request request) {
        return token == null && !request.isSafe();
    }

    /** Whether a request bears the token, or none is set; also at open endpoints. */
    boolean isAuthorised(Request request) {
        return refuseToken(request.headers()) == null;
    }

    /** The problem that a refused caller is told. */
    Problem problem(CallRefusal refusal, Request request) {
        return switch (refusal) {
            case NO_TOKEN ->
                    unauthorized("Bearer", "a token is needed: Authorization: Bearer TOKEN");
            case WRONG_TOKEN ->
                    unauthorized("Bearer error=\"invalid_token\"", "the token is wrong");
            case UNKNOWN_HOST ->
                    new Problem(
                            421,
                            "unknown_host",
                            "Host is %s, but without a token (--admin-token-file) the admin server is only for %s."
                                    .formatted(
                                            Problem.quoted(
                                                    String.valueOf(
                                                            request.headers().first("host"))),
                                            String.join(", ", hosts)));
            case CROSS_ORIGIN ->
                    new Problem(
                            403,
                            "cross_origin",
                            "a page of another origin may not change anything");
            case OTHER_USER ->
                    new Problem(
                            403,
                            "other_user",
                            "without a token (--admin-token-file) only the server's own user and root may"
                                    + " change anything");
            case NOT_JSON ->
                    new Problem(
                            415,
                            "not_json",
                            "a body has to be JSON, with Content-Type: application/json",
                            "accept",
                            JSON);
        };
    }

    /**
     * Whether a page of another site could have sent such content: a form cannot have the type
     * JSON. Matters only for calls that have an endpoint.
     */
    static boolean hasFormContent(Request request) {
        String type = request.headers().first("content-type");
        if (request.isSafe() || (type == null && request.body().isEmpty())) {
            return false;
        }
        String given = type == null ? "" : type;
        int end = given.indexOf(';');
        return !(end < 0 ? given : given.substring(0, end)).strip().equalsIgnoreCase(JSON);
    }

    /**
     * A site can make its name mean this machine, and its pages then read what is here. But Host
     * has its name, which no script can change, and it has no token. A client that is no browser
     * may leave Host out, in HTTP/1.0.
     */
    private boolean isForThisHost(Headers headers) {
        String host = headers.first("host");
        return token != null || host == null || hosts.contains(withoutPort(host));
    }

    private @Nullable CallRefusal refuseToken(Headers headers) {
        if (token == null) {
            return null;
        }
        List<String> given = headers.all("authorization");
        if (given.isEmpty()) {
            return CallRefusal.NO_TOKEN;
        }
        String value = given.getFirst();
        boolean bears = value.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
        boolean right =
                given.size() == 1
                        && bears
                        && token.equalsInConstantTime(value.substring(SCHEME.length()).strip());
        return right ? null : CallRefusal.WRONG_TOKEN;
    }

    private static Problem unauthorized(String challenge, String detail) {
        return new Problem(401, "unauthorized", detail, "www-authenticate", challenge);
    }

    /**
     * A client that is no browser sends neither field. Where one comes twice, both have to be ours.
     */
    private static boolean isOfOwnOrigin(Headers headers) {
        String host = headers.first("host");
        return OWN_ORIGIN.containsAll(headers.all("sec-fetch-site"))
                && headers.all("origin").stream().allMatch(origin -> isOwn(origin, host));
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

package dev.handoff.server.routing;

import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a {@link Route} is for. Where several patterns fit a request, the one with the
 * most exact host counts, then the one with the longest path, then one whose path is exact, then
 * the one that asks for more than the others.
 *
 * @param host a name such as {@code api.example.org}; or {@code *.example.org}, which is every name
 *     below it but not itself; null for any. Case and port do not matter
 * @param path a prefix of whole segments: {@code /api} is for {@code /api} and {@code /api/x}, not
 *     for {@code /apix}. {@code /} is for all
 * @param exact whether it is for this path alone, and not for those below it. A slash at the end
 *     makes no difference
 * @param methods empty for all. GET brings HEAD with it, unless another route names that
 * @param conditions what else it asks for
 */
public record RoutePattern(
        @Nullable String host,
        String path,
        boolean exact,
        Set<String> methods,
        RouteConditions conditions) {
    static final String ANY_BELOW = "*.";

    private static final String TOKEN_SPECIALS = "!#$%&'*+-.^_`|~";

    /**
     * @throws IllegalArgumentException if host, path or a method is not valid
     */
    public RoutePattern {
        String flaw = host == null ? null : flawOfHost(host);
        flaw = flaw == null ? flawOfPath(path) : flaw;
        if (flaw != null || !methods.stream().allMatch(RoutePattern::isMethod)) {
            throw new IllegalArgumentException(
                    flaw == null ? "not methods: " + methods : "expected " + flaw);
        }
        host = host == null ? null : withoutEnd(host, '.').toLowerCase(Locale.ROOT);
        path = path.equals("/") ? path : withoutEnd(path, '/');
        methods = Set.copyOf(methods);
    }

    /** One without further conditions. */
    public RoutePattern(@Nullable String host, String path, Set<String> methods) {
        this(host, path, false, methods, RouteConditions.NONE);
    }

    /** The same, for other methods. */
    RoutePattern withMethods(Set<String> others) {
        return new RoutePattern(host, path, exact, others, conditions);
    }

    /** The pattern of every request. */
    public static RoutePattern all() {
        return new RoutePattern(null, "/", Set.of());
    }

    boolean isForAll() {
        return host == null
                && path.equals("/")
                && !exact
                && methods.isEmpty()
                && conditions.isNone();
    }

    /** What was expected instead of this host, or null if it is one. */
    public static @Nullable String flawOfHost(String host) {
        String name = host.startsWith(ANY_BELOW) ? host.substring(ANY_BELOW.length()) : host;
        boolean isAddress = name.startsWith("[") && name.endsWith("]") && name.length() > 2;
        if (name.contains(":") && !isAddress) {
            return "a host without a port";
        }
        boolean valid =
                isAddress
                        ? name.chars().skip(1).limit(name.length() - 2).allMatch(RoutePattern::isIp)
                        : !withoutEnd(name, '.').isEmpty()
                                && !name.startsWith(".")
                                && !name.contains("..")
                                && name.chars().allMatch(RoutePattern::isHostCharacter);
        return valid ? null : "a host such as api.example.org or *.example.org";
    }

    /** What was expected instead of this path, or null if it is one. */
    public static @Nullable String flawOfPath(String path) {
        if (!path.startsWith("/")) {
            return "a path that begins with /";
        }
        if (path.indexOf('?') >= 0 || path.indexOf('#') >= 0) {
            return "a path without ? and #";
        }
        if (path.chars().anyMatch(c -> c <= ' ' || c == 0x7f || c == '\\')) {
            return "a path without spaces, control characters and backslashes";
        }
        if (RoutePath.isAmbiguous(path)) {
            return "a path without empty segments, dot segments and encoded slashes";
        }
        return null;
    }

    /**
     * Whether it is the name of a method that can be asked for: a token (RFC 9110 section 9.1)
     * without lower case, which {@link dev.handoff.http.Refusal#LOWER_CASE_METHOD} keeps out.
     */
    public static boolean isMethod(String name) {
        return !name.isEmpty()
                && name.chars()
                        .allMatch(c -> isUpperCaseOrDigit(c) || TOKEN_SPECIALS.indexOf(c) >= 0);
    }

    /** Whether a path, such as that of an application, is this pattern's or above it. */
    public boolean isBelow(String prefix) {
        String above = RoutePath.ofPattern(prefix);
        return (RoutePath.ofPattern(path) + "/").startsWith(above + "/");
    }

    /**
     * Whether some request would fit both equally well: they are for the same host and path, do not
     * exclude each other, and neither asks for all that the other does and more.
     */
    public boolean clashesWith(RoutePattern other) {
        return meets(other) && contains(other) == other.contains(this);
    }

    /** Whether it is for the same requests. */
    public boolean isSameAs(RoutePattern other) {
        return isAtPlaceOf(other) && contains(other) && other.contains(this);
    }

    /** Whether it is for all requests of the other, and for more. */
    boolean isWiderThan(RoutePattern other) {
        return isAtPlaceOf(other) && contains(other) && !other.contains(this);
    }

    /** Whether it is for the same host and path, and a request may fit both. */
    boolean meets(RoutePattern other) {
        boolean methodsMeet =
                methods.isEmpty()
                        || other.methods.isEmpty()
                        || methods.stream().anyMatch(other.methods::contains);
        return isAtPlaceOf(other) && methodsMeet && !conditions.exclude(other.conditions);
    }

    private boolean isAtPlaceOf(RoutePattern other) {
        return exact == other.exact
                && Objects.equals(host, other.host)
                && (path.equals(other.path)
                        || RoutePath.ofPattern(path).equals(RoutePath.ofPattern(other.path)));
    }

    /** Of two for the same host and path. Methods that merely overlap are in no order. */
    private boolean contains(RoutePattern other) {
        return (methods.isEmpty() || methods.equals(other.methods))
                && conditions.contain(other.conditions);
    }

    /** As people write it: {@code POST api.example.org/v1}. */
    @Override
    public String toString() {
        String names = methods.isEmpty() ? "" : String.join(",", new TreeSet<>(methods)) + " ";
        String place = (host == null ? "" : host) + path + (exact ? " alone" : "");
        return names + place + conditions;
    }

    private static String withoutEnd(String text, char end) {
        return !text.isEmpty() && text.charAt(text.length() - 1) == end
                ? text.substring(0, text.length() - 1)
                : text;
    }

    private static boolean isHostCharacter(int c) {
        return isLetterOrDigit(c) || c == '-' || c == '.' || c == '_';
    }

    private static boolean isIp(int c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'f')
                || (c >= 'A' && c <= 'F')
                || c == ':'
                || c == '.';
    }

    private static boolean isUpperCaseOrDigit(int c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private static boolean isLetterOrDigit(int c) {
        return c < 128 && Character.isLetterOrDigit(c);
    }
}

package dev.handoff.server.routing;

import dev.handoff.server.Handler;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A route as requests are compared with it. Of those for one host and path, the one that is to be
 * tried first comes first.
 *
 * @param host in lower case, null for any
 * @param below whether it is for the names below {@code host}, and not for that
 * @param path decoded, empty for the root
 * @param conditions null for none
 * @param wider how many other routes are for all that this is for, and for more
 */
record RouteEntry(
        @Nullable String host,
        boolean below,
        String path,
        boolean exact,
        Set<String> methods,
        @Nullable RouteConditions conditions,
        int wider,
        Handler handler)
        implements Comparable<RouteEntry> {

    /**
     * @param rivals the routes that may be for the same requests, itself among them
     */
    static RouteEntry of(Route route, List<Route> rivals) {
        RoutePattern pattern = route.pattern();
        String host = pattern.host();
        boolean below = host != null && host.startsWith(RoutePattern.ANY_BELOW);
        Set<String> methods = new HashSet<>(pattern.methods());
        if (methods.contains("GET")) {
            // RFC 9110 section 9.1: who serves GET serves HEAD.
            RoutePattern head = pattern.withMethods(Set.of("HEAD"));
            if (rivals.stream().noneMatch(other -> names(other.pattern(), head))) {
                methods.add("HEAD");
            }
        }
        return new RouteEntry(
                host != null && below ? host.substring(RoutePattern.ANY_BELOW.length()) : host,
                below,
                RoutePath.ofPattern(pattern.path()),
                pattern.exact(),
                Set.copyOf(methods),
                pattern.conditions().isNone() ? null : pattern.conditions(),
                (int) rivals.stream().filter(each -> each.pattern().isWiderThan(pattern)).count(),
                route.mounted());
    }

    private static boolean names(RoutePattern pattern, RoutePattern head) {
        return !pattern.methods().isEmpty() && pattern.meets(head);
    }

    @Override
    public int compareTo(RouteEntry other) {
        int order = Boolean.compare(other.exact, exact);
        return order == 0 ? Integer.compare(other.wider, wider) : order;
    }

    boolean conditionsFit(RouteRequest request) {
        return conditions == null || conditions.fit(request);
    }

    boolean isForMethod(String asked) {
        return methods.isEmpty() || methods.contains(asked);
    }
}

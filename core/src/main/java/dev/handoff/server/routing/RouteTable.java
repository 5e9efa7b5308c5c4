package dev.handoff.server.routing;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Request;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.forwarding.Origin;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Routes in the order in which they are tried: the first that fits is the one that counts.
 * Immutable. A path that is spelled plainly costs no copy, and a single route for everything not
 * even a look at the request.
 */
final class RouteTable {
    private static final ErrorMessage NO_ROUTE =
            new ErrorMessage(404, "no_route", "Nothing is served at this path.");
    private static final ErrorMessage METHOD_NOT_ALLOWED =
            new ErrorMessage(405, "method_not_allowed", "This path does not serve this method.");
    private static final ErrorMessage AMBIGUOUS_PATH =
            new ErrorMessage(
                    400,
                    "ambiguous_path",
                    "The path can be read in several ways, which lead to different handlers.");

    private static final Handler MISSING =
            exchange -> exchange.respond(NO_ROUTE.response(form(exchange)));
    private static final Handler AMBIGUOUS =
            exchange -> exchange.respond(AMBIGUOUS_PATH.response(form(exchange)));

    private final List<Entry> entries;
    private final @Nullable Handler only;

    RouteTable(List<Route> routes) {
        for (int i = 0; i < routes.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (routes.get(i).pattern().clashesWith(routes.get(j).pattern())) {
                    throw new IllegalArgumentException("two routes for " + routes.get(i).pattern());
                }
            }
        }
        entries = routes.stream().map(route -> Entry.of(route, routes)).sorted().toList();
        boolean one = routes.size() == 1 && routes.getFirst().pattern().isForAll();
        only = one ? routes.getFirst().handler() : null;
    }

    /** The handler of the request; where no route fits, one that refuses it. */
    Handler find(Request request, Origin origin) {
        if (only != null) {
            return only;
        }
        return find(new RouteRequest(request, origin), request.target());
    }

    private Handler find(RouteRequest request, String target) {
        int query = target.indexOf('?');
        int end = query < 0 ? target.length() : query;
        if (target.equals("*")) {
            // OPTIONS * is about the server as a whole, as the root is.
            return find(request, "", 0);
        }
        if (RoutePath.isPlain(target, end)) {
            return find(request, target, end);
        }
        String resolved = RoutePath.resolved(target, end);
        Entry entry = match(request, resolved, resolved.length());
        for (String reading : RoutePath.readings(target, end)) {
            Entry other = match(request, reading, reading.length());
            if (!Objects.equals(handler(entry), handler(other))) {
                return AMBIGUOUS;
            }
        }
        return entry == null ? miss(request, resolved, resolved.length()) : entry.handler;
    }

    private Handler find(RouteRequest request, String path, int end) {
        Entry entry = match(request, path, end);
        return entry == null ? miss(request, path, end) : entry.handler;
    }

    private @Nullable Entry match(RouteRequest request, String path, int end) {
        String host = request.host();
        int hostEnd = hostEnd(host);
        String method = request.method();
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry.isForPath(path, end)
                    && entry.isForHost(host, hostEnd)
                    && entry.isForMethod(method)
                    && entry.conditionsFit(request)) {
                return entry;
            }
        }
        return null;
    }

    private Handler miss(RouteRequest request, String path, int end) {
        String host = request.host();
        int hostEnd = hostEnd(host);
        Set<String> allowed = new TreeSet<>();
        for (Entry entry : entries) {
            if (entry.isForPath(path, end)
                    && entry.isForHost(host, hostEnd)
                    && entry.conditionsFit(request)) {
                allowed.addAll(entry.methods);
            }
        }
        String allow = String.join(", ", allowed);
        return allowed.isEmpty()
                ? MISSING
                : exchange ->
                        exchange.respond(
                                METHOD_NOT_ALLOWED.response(form(exchange), "allow", allow));
    }

    private static @Nullable Handler handler(@Nullable Entry entry) {
        return entry == null ? null : entry.handler;
    }

    private static ErrorForm form(Exchange exchange) {
        Request request = exchange.request();
        return ErrorForm.of(request.method(), request.headers());
    }

    /** Where the port begins, or the dot that may end a name. */
    private static int hostEnd(@Nullable String host) {
        if (host == null) {
            return 0;
        }
        int colon = host.indexOf(':', host.startsWith("[") ? Math.max(0, host.indexOf(']')) : 0);
        int end = colon < 0 ? host.length() : colon;
        return end > 0 && host.charAt(end - 1) == '.' ? end - 1 : end;
    }

    /**
     * A route as it is compared: the most exact comes first.
     *
     * @param host in lower case, null for any
     * @param below whether {@code host} is what names have to end in, else it is the name
     * @param path decoded, empty for the root
     * @param conditions null for none
     * @param wider how many other routes are for all that this is for, and for more
     */
    private record Entry(
            @Nullable String host,
            boolean below,
            String path,
            boolean exact,
            Set<String> methods,
            @Nullable RouteConditions conditions,
            int wider,
            Handler handler)
            implements Comparable<Entry> {

        static Entry of(Route route, List<Route> all) {
            RoutePattern pattern = route.pattern();
            String host = pattern.host();
            boolean below = host != null && host.startsWith(RoutePattern.ANY_BELOW);
            Set<String> methods = new HashSet<>(pattern.methods());
            if (methods.contains("GET")) {
                // RFC 9110 section 9.1: who serves GET serves HEAD.
                RoutePattern head = pattern.withMethods(Set.of("HEAD"));
                if (all.stream().noneMatch(other -> names(other.pattern(), head))) {
                    methods.add("HEAD");
                }
            }
            return new Entry(
                    host != null && below ? host.substring(1) : host,
                    below,
                    RoutePath.ofPattern(pattern.path()),
                    pattern.exact(),
                    Set.copyOf(methods),
                    pattern.conditions().isNone() ? null : pattern.conditions(),
                    (int) all.stream().filter(each -> each.pattern().isWiderThan(pattern)).count(),
                    route.mounted());
        }

        private static boolean names(RoutePattern pattern, RoutePattern head) {
            return !pattern.methods().isEmpty() && pattern.meets(head);
        }

        /** Written out, since comparators that are put together take a part of every start. */
        @Override
        public int compareTo(Entry other) {
            int order = Integer.compare(hostRank(), other.hostRank());
            if (order == 0) {
                order = Integer.compare(other.hostLength(), hostLength());
            }
            if (order == 0) {
                order = Integer.compare(other.path.length(), path.length());
            }
            if (order == 0) {
                order = Boolean.compare(other.exact, exact);
            }
            return order == 0 ? Integer.compare(other.wider, wider) : order;
        }

        int hostRank() {
            if (host == null) {
                return 2;
            }
            return below ? 1 : 0;
        }

        int hostLength() {
            return host == null ? 0 : host.length();
        }

        boolean isForHost(@Nullable String asked, int end) {
            if (host == null) {
                return true;
            }
            int length = host.length();
            int at = end - length;
            return asked != null
                    && (below ? at > 0 : at == 0)
                    && asked.regionMatches(true, at, host, 0, length);
        }

        boolean isForPath(String asked, int end) {
            int length = path.length();
            return end >= length
                    && asked.startsWith(path)
                    && (end == length || asked.charAt(length) == '/')
                    && (!exact || end <= length + 1);
        }

        boolean conditionsFit(RouteRequest request) {
            return conditions == null || conditions.fit(request);
        }

        boolean isForMethod(String asked) {
            return methods.isEmpty() || methods.contains(asked);
        }
    }
}

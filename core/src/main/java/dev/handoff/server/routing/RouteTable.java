package dev.handoff.server.routing;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Request;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.forwarding.Origin;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses among routes: of those that fit, the one that {@link RouteIndex} finds first is the one
 * that counts. Immutable. A path that is spelled plainly costs no copy, and a single route for
 * everything not even a look at the request.
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

    private final RouteIndex index;
    private final @Nullable Handler only;

    RouteTable(List<Route> routes) {
        index = new RouteIndex(entries(routes));
        boolean one = routes.size() == 1 && routes.getFirst().pattern().isForAll();
        only = one ? routes.getFirst().handler() : null;
    }

    /**
     * @throws IllegalArgumentException if two routes clash
     */
    static List<RouteEntry> entries(List<Route> routes) {
        RouteNeighbours<Route> neighbours = new RouteNeighbours<>();
        for (Route route : routes) {
            RoutePattern pattern = route.pattern();
            for (Route other : neighbours.of(pattern)) {
                if (pattern.clashesWith(other.pattern())) {
                    throw new IllegalArgumentException("two routes for " + pattern);
                }
            }
            neighbours.add(pattern, route);
        }
        return routes.stream()
                .map(route -> RouteEntry.of(route, neighbours.of(route.pattern())))
                .toList();
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
        Iterator<String> readings =
                RoutePath.readings(target, end, index.mostPathLength()).iterator();
        String resolved = readings.next();
        RouteEntry entry = match(request, resolved, resolved.length());
        while (readings.hasNext()) {
            String reading = readings.next();
            RouteEntry other = match(request, reading, reading.length());
            if (!Objects.equals(handler(entry), handler(other))) {
                return AMBIGUOUS;
            }
        }
        return entry == null ? miss(request, resolved, resolved.length()) : entry.handler();
    }

    private Handler find(RouteRequest request, String path, int end) {
        RouteEntry entry = match(request, path, end);
        return entry == null ? miss(request, path, end) : entry.handler();
    }

    private @Nullable RouteEntry match(RouteRequest request, String path, int end) {
        return index.first(
                request,
                path,
                end,
                entry -> entry.isForMethod(request.method()) && entry.conditionsFit(request));
    }

    private Handler miss(RouteRequest request, String path, int end) {
        Set<String> allowed = new TreeSet<>();
        index.first(
                request,
                path,
                end,
                entry -> {
                    if (entry.conditionsFit(request)) {
                        allowed.addAll(entry.methods());
                    }
                    return false;
                });
        String allow = String.join(", ", allowed);
        return allowed.isEmpty()
                ? MISSING
                : exchange ->
                        exchange.respond(
                                METHOD_NOT_ALLOWED.response(form(exchange), "allow", allow));
    }

    private static @Nullable Handler handler(@Nullable RouteEntry entry) {
        return entry == null ? null : entry.handler();
    }

    private static ErrorForm form(Exchange exchange) {
        Request request = exchange.request();
        return ErrorForm.of(request.method(), request.headers());
    }
}

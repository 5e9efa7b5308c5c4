package dev.handoff.server.routing;

import dev.handoff.http.Request;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.forwarding.Origin;
import java.util.List;

/**
 * A handler that hands each request to the handler of its route.
 *
 * <p>A request whose route depends on how its path is read gets 400 {@code ambiguous_path}: what
 * one reader takes for {@code /public/..%2fadmin} is {@code /admin} to another, and a client must
 * not get past a route by spelling. A request without a route gets 404 {@code no_route}, or 405
 * {@code method_not_allowed} where there is a route for another method.
 *
 * <p>Any thread may replace the routes while requests come: each request sees either the old ones
 * or the new ones.
 */
public final class Router implements Handler {
    private volatile RouteTable table;

    /**
     * @throws IllegalArgumentException if two routes clash
     */
    public Router(List<Route> routes) {
        table = new RouteTable(routes);
    }

    /**
     * Sends the requests that come from now on by other routes. Those that are on their way stay
     * with their handlers. A loop that has run a task since has no request between the two.
     *
     * @throws IllegalArgumentException if two routes clash
     */
    public void replace(List<Route> routes) {
        table = new RouteTable(routes);
    }

    @Override
    public boolean takesContentAsItComes(Request head, Origin origin) {
        return table.find(head, origin).takesContentAsItComes(head, origin);
    }

    @Override
    public void handle(Exchange exchange) {
        table.find(exchange.request(), exchange.origin()).handle(exchange);
    }
}

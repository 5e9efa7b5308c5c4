package dev.handoff.server.routing;

import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import java.util.List;

/**
 * A handler that hands each request to the handler of its route.
 *
 * <p>A request whose route depends on how its path is read is refused with 400 {@code
 * ambiguous_path}: what one reader takes for {@code /public/..%2fadmin} is {@code /admin} to
 * another, and nobody shall get past a route by spelling. A request that no route is for gets 404
 * {@code no_route}, or 405 where there is one for another method.
 *
 * <p>The routes can be replaced while requests come, from any thread: each request sees either the
 * old ones or the new ones.
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
     * Sends the requests that come from now on elsewhere. Those that are on their way stay with
     * their handlers; a loop that has run a task since has no request between the two.
     *
     * @throws IllegalArgumentException if two routes clash
     */
    public void replace(List<Route> routes) {
        table = new RouteTable(routes);
    }

    @Override
    public void handle(Exchange exchange) {
        table.find(exchange.request()).handle(exchange);
    }
}

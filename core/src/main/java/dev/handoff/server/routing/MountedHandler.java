package dev.handoff.server.routing;

import dev.handoff.http.Request;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.forwarding.Origin;

/**
 * A handler that is served below a path, and hears so with each request. Two of the same are equal,
 * as {@link RouteTable} wants it of handlers that readings of a path lead to.
 *
 * @param prefix as {@link RoutePath#ofPattern} has it
 */
record MountedHandler(String prefix, Handler handler) implements Handler {
    @Override
    public boolean takesContentAsItComes(Request head, Origin origin) {
        return handler.takesContentAsItComes(head, origin);
    }

    @Override
    public void handle(Exchange exchange) {
        String target = exchange.request().target();
        int end = RoutePath.endOfPrefix(prefix, target);
        if (end < 0) {
            throw new IllegalStateException(
                    "a target was routed by " + prefix + " and does not begin with it");
        }
        exchange.prefix(target.substring(0, end));
        handler.handle(exchange);
    }
}

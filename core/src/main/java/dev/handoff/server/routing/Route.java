package dev.handoff.server.routing;

import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;

/**
 * The handler of the requests that fit a pattern.
 *
 * @param handler the same object for routes that are to be one: readings of a path that differ must
 *     not lead to different handlers, see {@link Router}
 * @param prefix the path below which the handler is served, see {@link Exchange#prefix()}: the
 *     pattern's path, or one above it; empty for the root
 */
public record Route(RoutePattern pattern, Handler handler, String prefix) {
    /**
     * @throws IllegalArgumentException if the prefix is not above the path
     */
    public Route {
        if (!prefix.isEmpty() && !pattern.isBelow(prefix)) {
            throw new IllegalArgumentException(prefix + " is not above " + pattern.path());
        }
    }

    public Route(RoutePattern pattern, Handler handler) {
        this(pattern, handler, "");
    }

    /** The handler that hears of the prefix. */
    Handler mounted() {
        return prefix.isEmpty()
                ? handler
                : new MountedHandler(RoutePath.ofPattern(prefix), handler);
    }
}

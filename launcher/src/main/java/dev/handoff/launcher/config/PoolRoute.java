package dev.handoff.launcher.config;

import dev.handoff.server.routing.RoutePattern;

/**
 * A route of a pool.
 *
 * @param prefix the path below which the application is served; empty for the root
 */
public record PoolRoute(RoutePattern pattern, String prefix) {
    /** The route of every request. */
    static PoolRoute all() {
        return new PoolRoute(RoutePattern.all(), "");
    }

    /** Its conditions, as people write them. */
    String summary() {
        return prefix.isEmpty() ? pattern.toString() : pattern + " with prefix " + prefix;
    }
}

package dev.handoff.launcher.config;

import dev.handoff.server.routing.RoutePattern;

/**
 * A route of the top level, which leads to no pool.
 *
 * @param prefix the path below which the target is served; empty for the root
 */
public record RoutePlan(RoutePattern pattern, String prefix, Target target) {
    /** Its conditions and where it leads. */
    public String summary() {
        return "%s: %s".formatted(pattern, target.summary());
    }
}

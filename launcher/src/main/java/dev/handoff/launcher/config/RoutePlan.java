package dev.handoff.launcher.config;

import dev.handoff.server.routing.RoutePattern;

/** A route of the top level, which leads to no pool. */
public record RoutePlan(RoutePattern pattern, Target target) {
    /** Its conditions and where it leads. */
    public String summary() {
        return "%s: %s".formatted(pattern, target.summary());
    }
}

package dev.handoff.launcher.config;

import dev.handoff.server.routing.RoutePattern;
import java.util.ArrayList;
import java.util.List;

/** All routes of a configuration file so far: complains of two that want the same requests. */
final class RouteClaims {
    /** Each request is compared with one after the other, and at the start each with all others. */
    static final int MOST_ROUTES = 2000;

    private final List<Claim> claims = new ArrayList<>();
    private final Complaints complaints;

    /** A pattern, and the route that has it. */
    private record Claim(RoutePattern pattern, JsonNode.Place place) {}

    RouteClaims(Complaints complaints) {
        this.complaints = complaints;
    }

    void add(RoutePattern pattern, JsonNode.Place place) {
        if (claims.size() == MOST_ROUTES) {
            complaints.add(place, "is one route too many: %d at most".formatted(MOST_ROUTES));
            return;
        }
        for (Claim earlier : claims) {
            String other = earlier.place.pointer();
            if (earlier.pattern.isSameAs(pattern)) {
                complaints.add(place, "is for %s, as %s is".formatted(pattern, other));
            } else if (earlier.pattern.clashesWith(pattern)) {
                complaints.add(
                        place,
                        "may be for the same requests as %s, and neither asks for more: give one all that the other asks for and more, or give them values of one key that differ"
                                .formatted(other));
            }
        }
        claims.add(new Claim(pattern, place));
    }

    /** Whether one route takes every request. */
    boolean haveAll() {
        return claims.stream().anyMatch(claim -> claim.pattern.clashesWith(RoutePattern.all()));
    }
}

package dev.handoff.launcher.config;

import dev.handoff.server.routing.RouteNeighbours;
import dev.handoff.server.routing.RoutePattern;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All routes of a configuration file so far: complains of two that want the same requests. */
final class RouteClaims {
    /** Of one host and path each is compared with all others. */
    static final int MOST_ROUTES = 2000;

    private final RouteNeighbours<Claim> claims = new RouteNeighbours<>();
    private int count;
    private final Path folder;
    private final Set<String> places;
    private final Complaints complaints;

    /** A pattern, and the route that has it. */
    private record Claim(RoutePattern pattern, JsonNode.Place place) {}

    /**
     * @param folder of the file, where relative paths start
     * @param places where the server listens; empty if that is unknown, since a setting is wrong
     */
    RouteClaims(Path folder, Set<String> places, Complaints complaints) {
        this.folder = folder;
        this.places = places;
        this.complaints = complaints;
    }

    /**
     * Reads a route, which then has its requests.
     *
     * @param besides keys that it may have besides, and that are read elsewhere
     * @return null, with a complaint, if it is none
     */
    @Nullable PoolRoute read(JsonNode node, List<String> besides) {
        PoolRoute route = RouteReader.read(node, besides, folder, places, complaints);
        if (route != null) {
            add(route.pattern(), node.place());
        }
        return route;
    }

    private void add(RoutePattern pattern, JsonNode.Place place) {
        if (count == MOST_ROUTES) {
            complaints.add(place, "is one route too many: %d at most".formatted(MOST_ROUTES));
            return;
        }
        for (Claim earlier : claims.of(pattern)) {
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
        claims.add(pattern, new Claim(pattern, place));
        count++;
    }

    /** Whether one route takes every request. */
    boolean haveAll() {
        RoutePattern all = RoutePattern.all();
        return claims.of(all).stream().anyMatch(claim -> claim.pattern.clashesWith(all));
    }
}

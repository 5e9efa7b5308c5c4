package dev.handoff.launcher.config;

import java.util.List;
import java.util.stream.Collectors;

/**
 * HTTP servers, started elsewhere, that get the requests of a pool.
 *
 * @param concurrency how many requests each takes at once
 */
public record Servers(List<ListenAddress> places, int concurrency) {
    public Servers {
        places = List.copyOf(places);
    }

    /** As they would be typed. */
    String text() {
        return places.stream().map(ListenAddress::text).collect(Collectors.joining(", "));
    }
}

package dev.handoff.server.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which routes may be for the same requests as another, so that it is compared with these alone:
 * they are for its host and path, and for networks of clients that its own meet.
 *
 * @param <T> what is known of a route
 */
public final class RouteNeighbours<T> {
    private final Map<String, Group<T>> groups = new HashMap<>();

    /** The routes of one host and path, in the order in which they came. */
    private static final class Group<T> {
        private final List<T> all = new ArrayList<>();

        /** The numbers of those for any client. */
        private final List<Integer> forAnybody = new ArrayList<>();

        private final NetworkIndex<Integer> byClients = new NetworkIndex<>();

        void add(RoutePattern pattern, T route) {
            if (pattern.conditions().clients().isEmpty()) {
                forAnybody.add(all.size());
            } else {
                byClients.add(pattern.conditions().clients(), all.size());
            }
            all.add(route);
        }

        List<T> of(RoutePattern pattern) {
            if (pattern.conditions().clients().isEmpty()) {
                return Collections.unmodifiableList(all);
            }
            Set<Integer> numbers = byClients.meeting(pattern.conditions().clients());
            numbers.addAll(forAnybody);
            return numbers.stream().sorted().map(all::get).toList();
        }
    }

    public void add(RoutePattern pattern, T route) {
        groups.computeIfAbsent(siteOf(pattern), _ -> new Group<>()).add(pattern, route);
    }

    /** Those that were added, in their order. Two with different methods are neighbours, too. */
    public List<T> of(RoutePattern pattern) {
        Group<T> group = groups.get(siteOf(pattern));
        return group == null ? List.of() : group.of(pattern);
    }

    /**
     * Host and path. A text, since Java makes the code that compares a record anew at each start,
     * which takes milliseconds (decision 12).
     */
    private static String siteOf(RoutePattern pattern) {
        String host = pattern.host() == null ? "" : pattern.host();
        String path = RoutePath.ofPattern(pattern.path());
        return host + (pattern.exact() ? " exactly " : " ") + path;
    }
}

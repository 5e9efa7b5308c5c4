package dev.handoff.admin.api;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All endpoints of an admin server, found by path and method. */
final class Endpoints {
    private record Entry(PathPattern pattern, Endpoint endpoint) {}

    /**
     * An endpoint with a path that was asked for.
     *
     * @param name the value of the name in braces; empty without one
     */
    record Match(Endpoint endpoint, String name) {}

    private final List<Entry> entries;

    Endpoints(List<Endpoint> endpoints) {
        this.entries =
                endpoints.stream()
                        .map(each -> new Entry(PathPattern.of(each.path()), each))
                        .toList();
    }

    /** The endpoints with this path. */
    List<Match> at(String path) {
        List<Match> found = new ArrayList<>();
        for (Entry entry : entries) {
            String name = entry.pattern.match(path);
            if (name != null) {
                found.add(new Match(entry.endpoint, name));
            }
        }
        return found;
    }

    /** The match for a method, or null. */
    static @Nullable Match of(String method, List<Match> found) {
        String meant = method.equals("HEAD") ? "GET" : method;
        for (Match match : found) {
            if (match.endpoint.method().equals(meant)) {
                return match;
            }
        }
        return null;
    }

    /** The value of the Allow field. */
    static String allowed(List<Match> found) {
        TreeSet<String> methods = new TreeSet<>(List.of("OPTIONS"));
        for (Match match : found) {
            methods.add(match.endpoint.method());
            if (match.endpoint.method().equals("GET")) {
                methods.add("HEAD");
            }
        }
        return String.join(", ", methods);
    }
}

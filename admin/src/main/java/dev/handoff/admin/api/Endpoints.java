package dev.handoff.admin.api;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All endpoints of an admin server: what answers which path, and with which methods. */
final class Endpoints {
    private record Entry(PathPattern pattern, Endpoint endpoint) {}

    private final List<Entry> entries;

    Endpoints(List<Endpoint> endpoints) {
        this.entries =
                endpoints.stream()
                        .map(each -> new Entry(PathPattern.of(each.path()), each))
                        .toList();
    }

    /** The endpoints with this path. */
    List<Endpoint> at(String path) {
        List<Endpoint> found = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.pattern.match(path) != null) {
                found.add(entry.endpoint);
            }
        }
        return found;
    }

    /** The one of them that answers a method, or null. */
    static @Nullable Endpoint of(String method, List<Endpoint> found) {
        String meant = method.equals("HEAD") ? "GET" : method;
        for (Endpoint endpoint : found) {
            if (endpoint.method().equals(meant)) {
                return endpoint;
            }
        }
        return null;
    }

    /** The value of the Allow field. */
    static String allowed(List<Endpoint> found) {
        TreeSet<String> methods = new TreeSet<>(List.of("OPTIONS"));
        for (Endpoint endpoint : found) {
            methods.add(endpoint.method());
            if (endpoint.method().equals("GET")) {
                methods.add("HEAD");
            }
        }
        return String.join(", ", methods);
    }
}

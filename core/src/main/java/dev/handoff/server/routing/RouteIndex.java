package dev.handoff.server.routing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Routes by host and path: finds those that are for both, the most exact first, without a look at
 * the others. Immutable.
 */
final class RouteIndex {
    private final NameTable<Host> hosts;

    /** The routes that are for any host, by path. */
    private final @Nullable NameTable<RouteChoice> rest;

    private final int mostPathLength;

    /**
     * The routes of a name, by path.
     *
     * @param itself those for the name; null for none
     * @param below those for the names below it; null for none
     */
    private record Host(
            @Nullable NameTable<RouteChoice> itself, @Nullable NameTable<RouteChoice> below) {}

    RouteIndex(List<RouteEntry> entries) {
        Map<String, List<RouteEntry>> named = new HashMap<>();
        List<RouteEntry> others = new ArrayList<>();
        for (RouteEntry each : entries) {
            String host = each.host();
            (host == null ? others : named.computeIfAbsent(host, _ -> new ArrayList<>())).add(each);
        }
        Map<String, Host> tables = new HashMap<>();
        named.forEach((name, all) ->
                tables.put(
                        name,
                        new Host(
                                byPath(all.stream().filter(each -> !each.below()).toList()),
                                byPath(all.stream().filter(RouteEntry::below).toList()))));
        hosts = NameTable.ofHosts(tables);
        rest = byPath(others);
        mostPathLength =
                2 + entries.stream().mapToInt(each -> each.path().length()).max().orElse(0);
    }

    private static @Nullable NameTable<RouteChoice> byPath(List<RouteEntry> entries) {
        if (entries.isEmpty()) {
            return null;
        }
        Map<String, List<RouteEntry>> paths = new HashMap<>();
        for (RouteEntry each : entries) {
            paths.computeIfAbsent(each.path(), _ -> new ArrayList<>()).add(each);
        }
        Map<String, RouteChoice> choices = new HashMap<>();
        paths.forEach((path, all) -> choices.put(path, new RouteChoice(all)));
        return NameTable.ofPaths(choices);
    }

    /** Paths that begin with the same so many characters lead to the same routes. */
    int mostPathLength() {
        return mostPathLength;
    }

    /**
     * The first route that is for host and path, and wanted besides; null if none is. It may pass
     * over routes whose conditions the request does not satisfy.
     *
     * @param path one reading of the request's
     * @param end where the path ends
     */
    @Nullable RouteEntry first(
            RouteRequest request, String path, int end, Predicate<RouteEntry> wanted) {
        String host = request.host();
        if (host != null) {
            int hostEnd = hostEnd(host);
            NameTable.Name<Host> name = hosts.longest(host, hostEnd);
            while (name != null) {
                RouteEntry found = first(paths(name, hostEnd), request, path, end, wanted);
                if (found != null) {
                    return found;
                }
                name = name.shorter();
            }
        }
        return first(rest, request, path, end, wanted);
    }

    /** Where the port begins, or the dot that may end a name. */
    private static int hostEnd(String host) {
        int colon = host.indexOf(':', host.startsWith("[") ? Math.max(0, host.indexOf(']')) : 0);
        int end = colon < 0 ? host.length() : colon;
        return end > 0 && host.charAt(end - 1) == '.' ? end - 1 : end;
    }

    /** By the path: at least one character and a dot make a name below another. */
    private static @Nullable NameTable<RouteChoice> paths(NameTable.Name<Host> name, int hostEnd) {
        int before = hostEnd - name.length();
        if (before == 0) {
            return name.value().itself;
        }
        return before > 1 ? name.value().below : null;
    }

    private static @Nullable RouteEntry first(
            @Nullable NameTable<RouteChoice> paths,
            RouteRequest request,
            String path,
            int end,
            Predicate<RouteEntry> wanted) {
        NameTable.Name<RouteChoice> name = paths == null ? null : paths.longest(path, end);
        while (name != null) {
            boolean isExact = end <= name.length() + 1;
            List<RouteEntry> entries = name.value().of(request);
            for (int i = 0; i < entries.size(); i++) {
                RouteEntry entry = entries.get(i);
                if ((isExact || !entry.exact()) && wanted.test(entry)) {
                    return entry;
                }
            }
            name = name.shorter();
        }
        return null;
    }
}

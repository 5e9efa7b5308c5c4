package dev.handoff.launcher.moving;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a route that was made of a step of Unit's.
 *
 * @param pointer where the step's action stands in Unit's file
 */
record MovedRoute(Map<String, Object> conditions, String pointer) {
    private static final String ANY_BELOW = "*.";

    /** Whether all requests that fit the other one fit this. */
    boolean covers(MovedRoute other) {
        for (Map.Entry<String, Object> each : conditions.entrySet()) {
            String key = each.getKey();
            Object value = other.conditions.get(key);
            boolean holds =
                    key.equals("path")
                            ? value != null && takesPath(other.path())
                            : each.getValue().equals(value);
            if (!holds) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether requests that fit both come here, where the most exact route counts, and in Unit to
     * the earlier one.
     */
    boolean overtakes(MovedRoute earlier) {
        return isMoreExactThan(earlier) && meets(earlier);
    }

    /** As docs/CONFIGURATION.md says. Whoever asks for more at the same path is covered. */
    private boolean isMoreExactThan(MovedRoute other) {
        int order = Integer.compare(hostRank(), other.hostRank());
        if (order == 0) {
            order = Integer.compare(path().length(), other.path().length());
        }
        return order == 0 ? isExact() && !other.isExact() : order > 0;
    }

    private int hostRank() {
        String host = host();
        if (host == null) {
            return 0;
        }
        return host.startsWith(ANY_BELOW) ? host.length() : Integer.MAX_VALUE;
    }

    /** Networks are not compared: two of them may meet. */
    private boolean meets(MovedRoute other) {
        return hostsMeet(host(), other.host())
                && (takesPath(other.path()) || other.takesPath(path()))
                && valuesMeet(conditions.get("method"), other.conditions.get("method"))
                && valuesMeet(conditions.get("scheme"), other.conditions.get("scheme"))
                && valuesMeet(conditions.get("listen"), other.conditions.get("listen"))
                && fieldsMeet("headers", other)
                && fieldsMeet("query", other);
    }

    private static boolean hostsMeet(@Nullable String one, @Nullable String other) {
        return one == null
                || other == null
                || one.equals(other)
                || isBelow(one, other)
                || isBelow(other, one);
    }

    private static boolean isBelow(String host, String pattern) {
        return pattern.startsWith(ANY_BELOW) && host.endsWith(pattern.substring(1));
    }

    private boolean fieldsMeet(String key, MovedRoute other) {
        if (conditions.get(key) instanceof Map<?, ?> ours
                && other.conditions.get(key) instanceof Map<?, ?> theirs) {
            return ours.keySet().stream()
                    .allMatch(name -> valuesMeet(ours.get(name), theirs.get(name)));
        }
        return true;
    }

    /**
     * @param one a value, or a list of them; null takes any
     */
    private static boolean valuesMeet(@Nullable Object one, @Nullable Object other) {
        return one == null
                || other == null
                || !Collections.disjoint(valuesOf(one), valuesOf(other));
    }

    private static Collection<?> valuesOf(Object values) {
        return values instanceof Collection<?> several ? several : List.of(values);
    }

    private boolean takesPath(String path) {
        return isExact() ? path.equals(path()) : isBelowPath(path, path());
    }

    static boolean isBelowPath(String path, String above) {
        String start = UnitPools.withoutSlash(above);
        return start.equals("/") || path.equals(start) || path.startsWith(start + "/");
    }

    private @Nullable String host() {
        return conditions.get("host") instanceof String host ? host.toLowerCase(Locale.ROOT) : null;
    }

    private String path() {
        return String.valueOf(Objects.requireNonNullElse(conditions.get("path"), "/"));
    }

    private boolean isExact() {
        return conditions.containsKey("exact");
    }
}

package dev.handoff.admin.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The path of an {@link Endpoint}: segments, of which one may stand for any name. Paths are
 * compared as they came, without decoding: no name of ours needs it, so each path is written in one
 * way only.
 */
record PathPattern(List<String> segments) {
    static PathPattern of(String path) {
        return new PathPattern(split(path));
    }

    /** The value of the name, or empty if the pattern has none; null if the path does not match. */
    @Nullable String match(String path) {
        List<String> found = split(path);
        if (found.size() != segments.size()) {
            return null;
        }
        String name = "";
        for (int i = 0; i < found.size(); i++) {
            String segment = found.get(i);
            if (segments.get(i).startsWith("{") && !segment.isEmpty()) {
                name = segment;
            } else if (!segments.get(i).equals(segment)) {
                return null;
            }
        }
        return name;
    }

    private static List<String> split(String path) {
        return List.of(path.split("/", -1));
    }
}

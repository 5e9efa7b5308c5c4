package dev.handoff.launcher.moving;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes conditions of a {@code match} of Unit, whose patterns are far more than routes have here.
 */
final class UnitMatch {
    private static final String NO_ANSWER = "is a pattern that has no answer here: left out";

    /** Each host has a route for each path. */
    private static final int MOST_ROUTES = 1_000;

    private static final Set<String> KNOWN =
            Set.of("uri", "host", "method", "headers", "arguments", "scheme", "source");

    private final String pointer;
    private final Notes notes;

    /** Whether a condition has no answer, so that the step would take more than it does in Unit. */
    private boolean isTooMuch;

    private boolean anyIsLeft;

    UnitMatch(String pointer, Notes notes) {
        this.pointer = pointer;
        this.notes = notes;
    }

    /**
     * The conditions of each route that it takes; none, with a note, if one of them has no answer.
     *
     * @param match null fits everything
     */
    List<Map<String, Object>> conditions(@Nullable JsonValue match) {
        if (match == null) {
            return List.of(Map.of());
        }
        List<Map<String, Object>> all = new ArrayList<>();
        for (JsonValue each : UnitKeys.items(match)) {
            isTooMuch = false;
            if (each instanceof JsonObject object) {
                List<Map<String, Object>> found = of(object);
                all.addAll(isTooMuch ? List.of() : found);
                anyIsLeft |= isTooMuch;
            }
        }
        return all;
    }

    /** Whether one of its alternatives had no answer. */
    boolean anyIsLeft() {
        return anyIsLeft;
    }

    private List<Map<String, Object>> of(JsonObject match) {
        Map<String, Object> common = new LinkedHashMap<>();
        List<String> methods = UnitKeys.strings(match.get("method"));
        if (!methods.isEmpty()) {
            methods.forEach(method -> requirePlain("method", method));
            common.put("method", methods.stream().map(m -> m.toUpperCase(Locale.ROOT)).toList());
        }
        String scheme = UnitKeys.text(match, "scheme");
        if (scheme != null) {
            common.put("scheme", scheme.toLowerCase(Locale.ROOT));
        }
        List<String> sources = UnitKeys.strings(match.get("source"));
        if (!sources.isEmpty()) {
            sources.forEach(this::requireNetwork);
            common.put("client", sources);
        }
        fields(match, "headers", "headers", common);
        fields(match, "arguments", "query", common);
        for (String key : match.keySet()) {
            if (!KNOWN.contains(key)) {
                leave(key);
            }
        }
        List<Map<String, Object>> hosts = hosts(UnitKeys.strings(match.get("host")));
        List<Map<String, Object>> paths = paths(UnitKeys.strings(match.get("uri")));
        if ((long) hosts.size() * paths.size() > MOST_ROUTES) {
            isTooMuch = true;
            notes.add(pointer, "makes more than %,d routes: left out".formatted(MOST_ROUTES));
            return List.of();
        }
        List<Map<String, Object>> all = new ArrayList<>();
        for (Map<String, Object> host : hosts) {
            for (Map<String, Object> path : paths) {
                Map<String, Object> conditions = new LinkedHashMap<>(host);
                conditions.putAll(path);
                conditions.putAll(common);
                all.add(conditions);
            }
        }
        return all;
    }

    private List<Map<String, Object>> hosts(List<String> patterns) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (String pattern : patterns) {
            String name = pattern.startsWith("*.") ? pattern.substring(2) : pattern;
            requirePlain("host", name);
            all.add(Map.of("host", pattern));
        }
        return all.isEmpty() ? List.of(Map.of()) : all;
    }

    private List<Map<String, Object>> paths(List<String> patterns) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (String pattern : patterns) {
            if (pattern.equals("*") || pattern.equals("/*")) {
                all.add(Map.of());
            } else if (!pattern.endsWith("*")) {
                requirePlain("uri", pattern);
                Map<String, Object> exact = new LinkedHashMap<>();
                exact.put("path", pattern);
                exact.put("exact", true);
                all.add(exact);
            } else {
                all.add(Map.of("path", below(pattern.substring(0, pattern.length() - 1))));
            }
        }
        return all.isEmpty() ? List.of(Map.of()) : all;
    }

    private String below(String start) {
        requirePlain("uri", start);
        if (!start.endsWith("/")) {
            notes.add(
                    pointer + "/uri",
                    "fits whole segments here: %s and what is below it, and not %sx"
                            .formatted(start, start));
        }
        return UnitPools.withoutSlash(start);
    }

    private void fields(JsonObject match, String key, String here, Map<String, Object> to) {
        JsonValue given = match.get(key);
        if (given == null) {
            return;
        }
        if (!(given instanceof JsonObject object)) {
            leave(key);
            return;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        object.forEach((name, value) -> {
            List<String> values = UnitKeys.strings(value);
            values.forEach(each -> requirePlain(key, each));
            fields.put(name, values);
        });
        to.put(here, fields);
    }

    private void requirePlain(String key, String pattern) {
        if (pattern.isEmpty()
                || pattern.startsWith("!")
                || pattern.startsWith("~")
                || pattern.contains("*")) {
            leave(key);
        }
    }

    private void requireNetwork(String source) {
        // A port behind an address, a range, or the opposite.
        boolean hasPort = source.startsWith("[") || source.matches("[^:]*:[^:]*");
        if (hasPort || source.startsWith("!") || source.contains("*") || source.contains("-")) {
            leave("source");
        }
    }

    private void leave(String key) {
        isTooMuch = true;
        notes.add(Notes.member(pointer, key), NO_ANSWER);
    }
}

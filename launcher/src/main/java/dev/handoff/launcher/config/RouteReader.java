package dev.handoff.launcher.config;

import dev.handoff.server.routing.RoutePattern;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one route of a configuration file. */
final class RouteReader {
    static final String HOST = "host";
    static final String PATH = "path";
    static final String METHOD = "method";
    static final List<String> KEYS = List.of(HOST, PATH, METHOD);

    private static final String EXPECTED_METHODS =
            "a method in capitals such as GET, or an array of them";

    private RouteReader() {}

    /** The route, or null, with a complaint, if it is none. */
    static @Nullable RoutePattern read(JsonNode node, Complaints complaints) {
        return read(node, List.of(), complaints);
    }

    /**
     * The same, where there are other keys besides.
     *
     * @param besides the other keys, which were read already
     */
    static @Nullable RoutePattern read(JsonNode node, List<String> besides, Complaints complaints) {
        if (!(node instanceof JsonNode.Members members)) {
            complaints.addUnexpected(node, "an object with host, path and method, or some of them");
            return null;
        }
        boolean good = true;
        String host = null;
        String path = "/";
        Set<String> methods = Set.of();
        for (Map.Entry<String, JsonNode> entry : members.members().entrySet()) {
            JsonNode value = entry.getValue();
            String text = value instanceof JsonNode.Text given ? given.value() : null;
            String flaw = null;
            switch (entry.getKey()) {
                case HOST -> {
                    host = text;
                    flaw = text == null ? "a host" : RoutePattern.flawOfHost(text);
                }
                case PATH -> {
                    path = text == null ? path : text;
                    flaw = text == null ? "a path" : RoutePattern.flawOfPath(text);
                }
                case METHOD -> {
                    methods = methods(value);
                    flaw = methods.isEmpty() ? EXPECTED_METHODS : null;
                }
                default -> {
                    good = false;
                    List<String> known = new ArrayList<>(KEYS);
                    known.addAll(besides);
                    complaints.addUnknown(value, entry.getKey(), known);
                }
            }
            if (flaw != null) {
                good = false;
                complaints.addUnexpected(value, flaw);
            }
        }
        return good ? new RoutePattern(host, path, methods) : null;
    }

    /** The methods; empty if that is no method, or no array of them. */
    private static Set<String> methods(JsonNode node) {
        List<JsonNode> names = node instanceof JsonNode.Items list ? list.items() : List.of(node);
        Set<String> methods = new LinkedHashSet<>();
        for (JsonNode name : names) {
            if (!(name instanceof JsonNode.Text text) || !RoutePattern.isMethod(text.value())) {
                return Set.of();
            }
            methods.add(text.value());
        }
        return methods;
    }
}

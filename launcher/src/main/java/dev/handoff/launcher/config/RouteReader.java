package dev.handoff.launcher.config;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseFault;
import dev.handoff.server.forwarding.Network;
import dev.handoff.server.forwarding.Origin;
import dev.handoff.server.routing.RouteConditions;
import dev.handoff.server.routing.RoutePattern;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the conditions of one route of a configuration file. */
final class RouteReader {
    static final String HOST = "host";
    static final String PATH = "path";
    static final String EXACT = "exact";
    static final String METHOD = "method";
    static final String HEADERS = "headers";
    static final String QUERY = "query";
    static final String SCHEME = "scheme";
    static final String CLIENT = "client";
    static final String LISTEN = "listen";
    static final String PREFIX = "prefix";
    static final List<String> KEYS =
            List.of(HOST, PATH, EXACT, METHOD, HEADERS, QUERY, SCHEME, CLIENT, LISTEN, PREFIX);

    static final List<String> SCHEMES = List.of(Origin.HTTP, Origin.HTTPS);

    /** What other servers call our keys. */
    private static final Map<String, String> NAMES_ELSEWHERE =
            Map.of("uri", PATH, "arguments", QUERY, "source", CLIENT, "methods", METHOD);

    /** What stands for any host in other servers. */
    private static final Set<String> ANY_HOST = Set.of("_", "*");

    private final Path folder;
    private final Set<String> places;
    private final Complaints complaints;
    private boolean good = true;
    private @Nullable String host;
    private String path = "/";
    private boolean exact;
    private Set<String> methods = Set.of();
    private Map<String, Set<String>> headers = Map.of();
    private Map<String, Set<String>> query = Map.of();
    private @Nullable String scheme;
    private Set<Network> clients = Set.of();
    private Set<String> listen = Set.of();
    private String prefix = "";

    private RouteReader(Path folder, Set<String> places, Complaints complaints) {
        this.folder = folder;
        this.places = places;
        this.complaints = complaints;
    }

    /**
     * The route, or null, with a complaint, if it is none.
     *
     * @param besides other keys, which are read elsewhere
     * @param folder of the file, where relative paths start
     * @param places where the server listens; empty if that is unknown
     */
    static @Nullable PoolRoute read(
            JsonNode node,
            List<String> besides,
            Path folder,
            Set<String> places,
            Complaints complaints) {
        if (!(node instanceof JsonNode.Members members)) {
            complaints.addUnexpected(node, "an object with host, path and method, or some of them");
            return null;
        }
        return new RouteReader(folder, places, complaints).route(members, besides);
    }

    private @Nullable PoolRoute route(JsonNode.Members node, List<String> besides) {
        node.members()
                .forEach((key, value) -> {
                    switch (key) {
                        case HOST -> host(value);
                        case PATH -> path(value);
                        case EXACT -> exact = isTrue(value);
                        case METHOD -> methods(value);
                        case HEADERS -> headers = headers(value);
                        case QUERY -> query = named(value, "parameter");
                        case SCHEME -> scheme(value);
                        case CLIENT -> clients(value);
                        case LISTEN -> listen(value);
                        case PREFIX -> prefix(value);
                        default -> unknown(key, value, besides);
                    }
                });
        if (!good) {
            return null;
        }
        RoutePattern pattern =
                new RoutePattern(
                        host,
                        path,
                        exact,
                        methods,
                        new RouteConditions(headers, query, scheme, clients, listen));
        if (!prefix.isEmpty() && !pattern.isBelow(prefix)) {
            unexpected(node.members().getOrDefault(PREFIX, node), "the path, or one above it");
            return null;
        }
        return new PoolRoute(pattern, prefix);
    }

    private void unknown(String key, JsonNode value, List<String> besides) {
        good = false;
        String ours = NAMES_ELSEWHERE.get(key);
        if (ours != null) {
            complaints.add(value.place(), "is unknown: it is called " + ours + " here");
            return;
        }
        List<String> known = new ArrayList<>(KEYS);
        known.addAll(besides);
        complaints.addUnknown(value, key, known);
    }

    private void host(JsonNode node) {
        String text = text(node, "a host");
        if (text != null && ANY_HOST.contains(text)) {
            unexpected(node, "a host such as api.example.org; for any host leave the key out");
        } else if (text != null) {
            expectNone(node, RoutePattern.flawOfHost(text));
            host = text;
        }
    }

    private void path(JsonNode node) {
        String text = text(node, "a path");
        if (text == null) {
            return;
        }
        int star = text.indexOf('*');
        if (star == text.length() - 1 && text.length() > 2 && text.charAt(star - 1) == '/') {
            unexpected(
                    node,
                    "\"%s\", which is for all below it too".formatted(text.substring(0, star - 1)));
        } else if (star >= 0) {
            unexpected(
                    node,
                    "a path without *: a route is for all below its path, unless it is exact");
        } else {
            expectNone(node, RoutePattern.flawOfPath(text));
            path = text;
        }
    }

    private void prefix(JsonNode node) {
        String text = text(node, "a path");
        if (text != null && text.equals("/")) {
            unexpected(node, "a path such as /app; leave it out for the root");
        } else if (text != null) {
            expectNone(node, RoutePattern.flawOfPath(text));
            prefix = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        }
    }

    private boolean isTrue(JsonNode node) {
        String word = node instanceof JsonNode.Word given ? given.literal() : "";
        if (!word.equals("true") && !word.equals("false")) {
            unexpected(node, "true or false");
        }
        return word.equals("true");
    }

    private void methods(JsonNode node) {
        Set<String> found = new LinkedHashSet<>();
        for (JsonNode each : oneOrMore(node, "a method in capitals such as GET")) {
            String name = text(each, "a method in capitals such as GET");
            String capitals = name == null ? "" : name.toUpperCase(Locale.ROOT);
            if (name != null && RoutePattern.isMethod(name)) {
                found.add(name);
            } else if (RoutePattern.isMethod(capitals)) {
                unexpected(each, "a method in capitals: \"%s\"".formatted(capitals));
            } else if (name != null) {
                unexpected(each, "a method in capitals such as GET");
            }
        }
        methods = found;
    }

    private Map<String, Set<String>> headers(JsonNode node) {
        Map<String, Set<String>> lower = new LinkedHashMap<>();
        named(node, "header")
                .forEach((name, values) -> {
                    String key = name.toLowerCase(Locale.ROOT);
                    if (key.equals(HOST)) {
                        complain(node, "has the header host, which has a key of its own: host");
                    } else if (!isHeaderName(name)) {
                        complain(node, "has \"%s\", which is no name of a header".formatted(name));
                    } else if (lower.put(key, values) != null) {
                        complain(node, "has the header %s twice".formatted(key));
                    }
                });
        return lower;
    }

    private static boolean isHeaderName(String name) {
        Response named = Response.of(200, Headers.of(name, ""), Body.EMPTY);
        return ResponseFault.of(named) == null;
    }

    /** The values that are wanted, by name. */
    private Map<String, Set<String>> named(JsonNode node, String what) {
        if (!(node instanceof JsonNode.Members members) || members.members().isEmpty()) {
            unexpected(node, "an object with a string for each %s, or strings".formatted(what));
            return Map.of();
        }
        Map<String, Set<String>> values = new LinkedHashMap<>();
        members.members()
                .forEach((name, value) -> {
                    Set<String> wanted = new LinkedHashSet<>();
                    for (JsonNode each : oneOrMore(value, "a string, or several")) {
                        String text = text(each, "a string");
                        if (text != null) {
                            wanted.add(text);
                        }
                    }
                    values.put(name, wanted);
                });
        return values;
    }

    private void scheme(JsonNode node) {
        scheme = text(node, "http or https");
        if (scheme != null && !SCHEMES.contains(scheme)) {
            unexpected(node, "http or https");
        }
    }

    private void clients(JsonNode node) {
        Set<Network> found = new LinkedHashSet<>();
        for (JsonNode each : oneOrMore(node, "a network such as 10.0.0.0/8, or an address")) {
            String text = text(each, "a network such as 10.0.0.0/8, or an address");
            try {
                if (text != null) {
                    found.add(Network.parse(text));
                }
            } catch (IllegalArgumentException none) {
                unexpected(each, "a network such as 10.0.0.0/8, or an address");
            }
        }
        clients = found;
    }

    private void listen(JsonNode node) {
        String expected =
                places.isEmpty()
                        ? "an address such as 127.0.0.1:8080 or unix:/run/handoff/http.sock"
                        : "a place where it listens: " + String.join(" or ", places);
        Set<String> found = new LinkedHashSet<>();
        for (JsonNode each : oneOrMore(node, expected)) {
            String text = text(each, expected);
            if (text == null) {
                continue;
            }
            String place = place(text);
            if (place == null) {
                unexpected(each, expected);
            } else {
                found.add(place);
            }
        }
        listen = found;
    }

    /** A place by its name on the command line, or in the file; null if it is none. */
    private @Nullable String place(String text) {
        ListenAddress address = ListenAddress.parse(text);
        if (address == null || places.contains(address.text())) {
            return address == null ? null : address.text();
        }
        String inFile = address.in(folder).text();
        return places.isEmpty() || places.contains(inFile) ? inFile : null;
    }

    private List<JsonNode> oneOrMore(JsonNode node, String expected) {
        List<JsonNode> nodes = node instanceof JsonNode.Items list ? list.items() : List.of(node);
        if (nodes.isEmpty()) {
            unexpected(node, expected);
        }
        return nodes;
    }

    private @Nullable String text(JsonNode node, String expected) {
        if (node instanceof JsonNode.Text text) {
            return text.value();
        }
        unexpected(node, expected);
        return null;
    }

    private void expectNone(JsonNode node, @Nullable String flaw) {
        if (flaw != null) {
            unexpected(node, flaw);
        }
    }

    private void unexpected(JsonNode node, String expected) {
        good = false;
        complaints.addUnexpected(node, expected);
    }

    private void complain(JsonNode node, String problem) {
        good = false;
        complaints.add(node.place(), problem);
    }
}

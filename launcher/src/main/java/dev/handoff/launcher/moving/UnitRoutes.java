package dev.handoff.launcher.moving;

import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes routes of Unit's, whose first step that fits counts, while here the most exact route does.
 * So a step that an earlier one covers is left out.
 */
final class UnitRoutes {
    private static final String URI = "$uri";
    private static final String HTTP = "http://";
    private static final Map<String, Object> EVERYTHING = Map.of("path", "/");

    /** Each is compared with all before it. */
    private static final int MOST_ROUTES = 5_000;

    /** Of all listeners together, each of which may lead to the same steps. */
    private static final int MOST_STEPS = 20_000;

    /** In a note of those that another one comes before. */
    private static final int MOST_NAMED = 10;

    private final @Nullable JsonValue routes;
    private final JsonObject upstreams;
    private final UnitPools pools;
    private final Map<String, Object> mediaTypes;
    private final Notes notes;
    private final List<MovedRoute> earlier = new ArrayList<>();
    private final Set<String> followed = new HashSet<>();

    /** What all routes have that are made at the time: the places where a listener is. */
    private Map<String, Object> listener = Map.of();

    /** How many steps, and alternatives of steps, were looked at. */
    private int looked;

    /** How many routes have found an answer, or another one that covers them. */
    private int answered;

    private boolean anyStepIsLeft;
    private final List<Map<String, Object>> withoutPool = new ArrayList<>();
    private final Map<String, List<Map<String, Object>>> ofPools = new LinkedHashMap<>();

    UnitRoutes(
            @Nullable JsonValue routes,
            JsonObject upstreams,
            UnitPools pools,
            Map<String, Object> mediaTypes,
            Notes notes) {
        this.routes = routes;
        this.upstreams = upstreams;
        this.pools = pools;
        this.mediaTypes = mediaTypes;
        this.notes = notes;
    }

    /** The routes that lead to no pool. */
    List<Map<String, Object>> withoutPool() {
        return withoutPool;
    }

    /** Gives the pools their routes. */
    void finish() {
        if (anyStepIsLeft) {
            notes.add(
                    "/routes",
                    "has steps that are left out: later ones take their requests, also where these were refused. Look at each");
        }
        boolean isOnly = pools.made().size() == 1;
        ofPools.forEach((pool, all) -> {
            Map<String, Object> keys = pools.made().get(pool);
            if (keys != null && !(isOnly && all.equals(List.of(EVERYTHING)))) {
                keys.put("routes", all);
            }
        });
    }

    /**
     * Follows a {@code pass} of listeners.
     *
     * @param conditions that all requests fit which come there
     */
    void follow(String to, String pointer, Map<String, Object> conditions) {
        listener = conditions;
        followed.clear();
        pass(to, pointer, conditions);
    }

    /**
     * Follows a {@code pass}.
     *
     * @param conditions that a request fits which gets there
     */
    private void pass(@Nullable String to, String pointer, Map<String, Object> conditions) {
        String[] parts = parts(to);
        if (parts.length >= 2 && parts[0].equals("applications")) {
            application(parts[1], parts.length > 2 ? parts[2] : null, pointer, conditions);
        } else if (parts.length == 2 && parts[0].equals("upstreams")) {
            upstream(parts[1], pointer, conditions);
        } else if (parts[0].equals("routes") && conditions.equals(listener)) {
            JsonValue all = routes;
            String from = "/routes";
            if (parts.length > 1 && routes instanceof JsonObject named) {
                all = named.get(parts[1]);
                from = Notes.member(from, parts[1]);
            }
            if (followed.add(from)) {
                steps(UnitKeys.items(all), from);
            } else {
                notes.add(pointer, "leads to steps that are tried before: left out");
            }
        } else if (parts[0].equals("routes")) {
            notes.add(pointer, "leads from a route to other routes: write these in its place");
        } else {
            notes.add(pointer, "leads to nothing that there is here: left out");
        }
    }

    /** The parts of a {@code pass}; one that is empty if it is none, or has variables. */
    private static String[] parts(@Nullable String to) {
        String[] parts = (to == null || to.contains("$") ? "" : to).split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            parts[i] = URLDecoder.decode(parts[i].replace("+", "%2B"), StandardCharsets.UTF_8);
        }
        return parts;
    }

    private void application(
            String name, @Nullable String target, String pointer, Map<String, Object> conditions) {
        String pool = pools.pool(name, target, pointer);
        if (pool == null || isCovered(conditions, pointer)) {
            return;
        }
        Map<String, Object> route = new LinkedHashMap<>(conditions);
        route.putIfAbsent("path", "/");
        String prefix = pools.prefix(pool);
        if (!prefix.isEmpty()) {
            if (MovedRoute.isBelowPath(String.valueOf(route.get("path")), prefix)) {
                route.put("prefix", prefix);
            } else {
                notes.add(
                        pointer,
                        "leads to an application with the prefix %s from another path: it sees no prefix there"
                                .formatted(prefix));
            }
        }
        ofPools.computeIfAbsent(pool, _ -> new ArrayList<>()).add(route);
    }

    /**
     * Servers with weights, which count for nothing here: the one with the most room gets a
     * request.
     */
    private void upstream(String name, String pointer, Map<String, Object> conditions) {
        JsonObject servers = UnitKeys.object(UnitKeys.object(upstreams, name), "servers");
        if (servers.isEmpty()) {
            notes.add(pointer, "names no servers that there are: left out");
            return;
        }
        String at = Notes.member("/upstreams", name) + "/servers";
        servers.forEach((address, keys) -> {
            if (keys instanceof JsonObject server && !server.isEmpty()) {
                notes.add(Notes.member(at, address), "has a weight, which counts for nothing here");
            }
        });
        servers(name, List.copyOf(servers.keySet()), pointer, conditions);
    }

    private void proxy(@Nullable String to, String pointer, Map<String, Object> conditions) {
        if (to != null && to.startsWith(HTTP) && !to.contains("$")) {
            String address = to.substring(HTTP.length());
            servers(address, List.of(address), pointer, conditions);
        } else {
            notes.add(pointer, "is no address behind http://: left out");
        }
    }

    private void servers(
            String name, List<String> addresses, String pointer, Map<String, Object> conditions) {
        if (!isCovered(conditions, pointer)) {
            Map<String, Object> route = new LinkedHashMap<>(conditions);
            route.putIfAbsent("path", "/");
            String pool = pools.ofServers(name, addresses);
            ofPools.computeIfAbsent(pool, _ -> new ArrayList<>()).add(route);
        }
    }

    private void steps(List<JsonValue> steps, String pointer) {
        for (int i = 0; i < steps.size(); i++) {
            if (looked >= MOST_STEPS) {
                notes.add(
                        "/routes",
                        "has more than %,d steps: the others are left out".formatted(MOST_STEPS));
                return;
            }
            String at = pointer + "/" + i;
            if (steps.get(i) instanceof JsonObject step) {
                step(step, at);
            }
        }
    }

    private void step(JsonObject step, String pointer) {
        UnitMatch match = new UnitMatch(pointer + "/match", notes);
        List<Map<String, Object>> alternatives = match.conditions(step.get("match"));
        looked += 1 + alternatives.size();
        int before = answered;
        JsonObject action = UnitKeys.object(step, "action");
        String at = pointer + "/action";
        for (Map<String, Object> alternative : alternatives) {
            Map<String, Object> conditions = new LinkedHashMap<>(alternative);
            conditions.putAll(listener);
            if (action.containsKey("pass")) {
                pass(UnitKeys.text(action, "pass"), at + "/pass", conditions);
                notes.addUnknown(at, action.keySet(), Set.of("pass"));
            } else if (action.containsKey("proxy")) {
                proxy(UnitKeys.text(action, "proxy"), at + "/proxy", conditions);
                notes.addUnknown(at, action.keySet(), Set.of("proxy"));
            } else if (action.containsKey("share")) {
                share(action, at, conditions);
            } else if (action.containsKey("return")) {
                respond(action, at, conditions);
            } else {
                notes.add(at, "has no answer here: left out");
            }
        }
        anyStepIsLeft |= match.anyIsLeft() || answered == before;
    }

    private void respond(JsonObject action, String pointer, Map<String, Object> conditions) {
        Integer status = UnitKeys.number(action, "return");
        String location = UnitKeys.text(action, "location");
        if (status == null || status < 200 || status > 599) {
            notes.add(pointer + "/return", "is no status from 200 to 599: left out");
        } else if (location != null && location.contains("$")) {
            notes.add(pointer + "/location", "has variables, which no route has here: left out");
        } else {
            Map<String, Object> respond = new LinkedHashMap<>();
            respond.put("status", status);
            if (location != null) {
                respond.put("location", location);
            }
            headers(action, pointer, respond);
            add(conditions, "respond", respond, pointer);
            notes.addUnknown(
                    pointer, action.keySet(), Set.of("return", "location", "response_headers"));
        }
    }

    private void share(JsonObject action, String pointer, Map<String, Object> conditions) {
        List<String> shares = UnitKeys.strings(action.get("share"));
        String first = shares.isEmpty() ? "" : shares.getFirst();
        String folder = first.endsWith(URI) ? first.substring(0, first.length() - 4) : "$";
        if (folder.contains("$")) {
            notes.add(
                    pointer + "/share",
                    "is left out: a folder with $uri behind it has an answer here, and nothing else");
            return;
        }
        Map<String, Object> files = new LinkedHashMap<>();
        files.put("folder", folder.isEmpty() ? "/" : UnitPools.withoutSlash(folder));
        String index = UnitKeys.text(action, "index");
        if (index != null) {
            files.put("index", index);
        }
        if (!mediaTypes.isEmpty()) {
            files.put("types", mediaTypes);
        }
        headers(action, pointer, files);
        fallback(shares, action, pointer, folder, files);
        add(conditions, "files", files, pointer);
        notes.addUnknown(
                pointer, action.keySet(), Set.of("share", "index", "fallback", "response_headers"));
    }

    private void fallback(
            List<String> shares,
            JsonObject action,
            String pointer,
            String folder,
            Map<String, Object> files) {
        JsonObject fallback = UnitKeys.object(action, "fallback");
        List<String> others = new ArrayList<>(shares.subList(1, shares.size()));
        others.addAll(UnitKeys.strings(fallback.get("share")));
        String file = others.isEmpty() ? null : others.getFirst();
        if (file != null
                && others.size() == 1
                && MovedRoute.isBelowPath(file, folder)
                && !file.contains("$")) {
            files.put("fallback", file.substring(folder.length()).replaceFirst("^/", ""));
        } else if (file != null) {
            notes.add(
                    pointer + "/share",
                    "is one folder here, and the fallback a file below it: the others are left out");
        }
        String at = pointer + "/fallback";
        String[] pass = parts(UnitKeys.text(fallback, "pass"));
        if (pass.length >= 2 && pass[0].equals("applications")) {
            String pool = pools.pool(pass[1], pass.length > 2 ? pass[2] : null, at + "/pass");
            if (pool != null) {
                files.put("fallback", Map.of("pool", pool));
            }
        } else if (fallback.containsKey("fallback")
                || (!fallback.isEmpty() && !fallback.containsKey("share"))) {
            notes.add(at, "has no answer here: left out");
        }
    }

    private void headers(JsonObject action, String pointer, Map<String, Object> to) {
        Map<String, Object> headers = new LinkedHashMap<>();
        UnitKeys.object(action, "response_headers")
                .forEach((name, value) -> {
                    if (value instanceof JsonString text && !text.getString().contains("$")) {
                        headers.put(name, text.getString());
                    } else {
                        notes.add(
                                Notes.member(pointer + "/response_headers", name),
                                "is no fixed value: left out");
                    }
                });
        if (!headers.isEmpty()) {
            to.put("headers", headers);
        }
    }

    private void add(
            Map<String, Object> conditions,
            String target,
            Map<String, Object> keys,
            String pointer) {
        if (!isCovered(conditions, pointer)) {
            Map<String, Object> route = new LinkedHashMap<>(conditions);
            route.put(target, keys);
            withoutPool.add(route);
        }
    }

    /** Whether an earlier step takes all that these conditions fit; else they count as one. */
    private boolean isCovered(Map<String, Object> conditions, String pointer) {
        answered++;
        MovedRoute route = new MovedRoute(conditions, pointer);
        for (MovedRoute each : earlier) {
            if (each.covers(route)) {
                notes.add(pointer, "is left out: %s takes all of it".formatted(each.pointer()));
                return true;
            }
        }
        if (earlier.size() == MOST_ROUTES) {
            notes.add(pointer, "is left out: there are %,d routes already".formatted(MOST_ROUTES));
            return true;
        }
        noteOvertaken(route);
        earlier.add(route);
        return false;
    }

    private void noteOvertaken(MovedRoute route) {
        List<String> overtaken =
                earlier.stream()
                        .filter(route::overtakes)
                        .map(MovedRoute::pointer)
                        .distinct()
                        .limit(MOST_NAMED)
                        .toList();
        if (!overtaken.isEmpty()) {
            notes.add(
                    route.pointer(),
                    "comes before %s here, as the more exact one, where a request fits both: in Unit it is later"
                            .formatted(String.join(", ", overtaken)));
        }
    }
}

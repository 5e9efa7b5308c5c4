package dev.handoff.launcher.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the routes of the top level, each with its target. */
final class RoutesReader {
    static final String FILES = "files";
    static final String RESPOND = "respond";

    /** The targets, one of which each route has. */
    static final List<String> TARGETS = List.of(FILES, RESPOND);

    private final Path folder;
    private final Complaints complaints;
    private final RouteClaims claims;

    /** The pools that get what there is no file for, each with the place of one that says so. */
    private final Map<String, JsonNode.Place> poolsOfFiles = new LinkedHashMap<>();

    /**
     * @param folder where relative paths start
     */
    RoutesReader(Path folder, Complaints complaints, RouteClaims claims) {
        this.folder = folder;
        this.complaints = complaints;
        this.claims = claims;
    }

    List<RoutePlan> read(JsonNode node) {
        if (!(node instanceof JsonNode.Items items)) {
            complaints.addUnexpected(node, "an array of routes");
            return List.of();
        }
        List<RoutePlan> plans = new ArrayList<>();
        for (JsonNode item : items.items()) {
            if (item instanceof JsonNode.Members members) {
                add(members, plans);
            } else {
                complaints.addUnexpected(item, "an object with a path and respond, for example");
            }
        }
        return plans;
    }

    private void add(JsonNode.Members route, List<RoutePlan> plans) {
        Map<String, JsonNode> conditions = new LinkedHashMap<>(route.members());
        JsonNode files = conditions.remove(FILES);
        JsonNode respond = conditions.remove(RESPOND);
        PoolRoute read = claims.read(new JsonNode.Members(route.place(), conditions), TARGETS);
        Target target;
        if (files != null) {
            if (respond != null) {
                complaints.add(
                        route.place(), "leads to two: expected " + String.join(" or ", TARGETS));
            }
            Target.Files sent = FilesReader.read(files, folder, complaints);
            if (sent != null && sent.otherwise() != null) {
                poolsOfFiles.putIfAbsent(sent.otherwise(), files.place());
            }
            target = sent;
        } else if (respond != null) {
            target = respond(respond, conditions.get(RouteReader.PREFIX));
        } else {
            complaints.add(
                    route.place(),
                    "leads nowhere: expected "
                            + String.join(" or ", TARGETS)
                            + ", or the route in the pool that answers");
            return;
        }
        if (read != null && target != null) {
            plans.add(new RoutePlan(read.pattern(), read.prefix(), target));
        }
    }

    /** The pools that need no routes, since files lead to them. */
    Set<String> poolsOfFiles() {
        return poolsOfFiles.keySet();
    }

    void requirePools(List<PoolPlan> plans) {
        poolsOfFiles.forEach((name, place) -> {
            if (plans.stream().noneMatch(plan -> plan.name().equals(name))) {
                complaints.add(
                        place, "has a fallback to the pool %s, which is none".formatted(name));
            }
        });
    }

    private @Nullable Target respond(JsonNode node, @Nullable JsonNode prefix) {
        if (prefix != null) {
            complaints.add(prefix.place(), "means nothing to a fixed response: leave it out");
        }
        return RespondReader.read(node, complaints);
    }
}

package dev.handoff.launcher.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the routes of the top level, each with its target. */
final class RoutesReader {
    static final String FILES = "files";
    static final String RESPOND = "respond";
    static final String POOLS = "pools";

    /** The targets, one of which each route has. */
    static final List<String> TARGETS = List.of(FILES, RESPOND, POOLS);

    /** A single pool has its routes itself. */
    static final int FEWEST_POOLS = 2;

    private final Path folder;
    private final Complaints complaints;
    private final RouteClaims claims;

    /** The pools that routes lead to, each with the place of one that says so. */
    private final Map<String, JsonNode.Place> poolsLedTo = new LinkedHashMap<>();

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
        Map<String, JsonNode> targets = new LinkedHashMap<>();
        for (String name : TARGETS) {
            JsonNode target = conditions.remove(name);
            if (target != null) {
                targets.put(name, target);
            }
        }
        PoolRoute read = claims.read(new JsonNode.Members(route.place(), conditions), TARGETS);
        if (targets.isEmpty()) {
            complaints.add(
                    route.place(),
                    "leads nowhere: expected "
                            + String.join(" or ", TARGETS)
                            + ", or the route in the pool that answers");
        } else if (targets.size() > 1) {
            complaints.add(
                    route.place(),
                    "leads to %s: expected one of them"
                            .formatted(String.join(" and ", targets.keySet())));
        }
        JsonNode prefix = conditions.get(RouteReader.PREFIX);
        targets.forEach((name, node) -> {
            Target target = target(name, node, prefix);
            if (read != null && target != null) {
                plans.add(new RoutePlan(read.pattern(), read.prefix(), target));
            }
        });
    }

    private @Nullable Target target(String name, JsonNode node, @Nullable JsonNode prefix) {
        return switch (name) {
            case FILES -> files(node);
            case RESPOND -> respond(node, prefix);
            default -> pools(node);
        };
    }

    /** The pools that need no routes, since these lead to them. */
    Set<String> poolsLedTo() {
        return poolsLedTo.keySet();
    }

    /** Complains of routes to pools that are none, or that take content in different ways. */
    void check(List<RoutePlan> routes, List<PoolPlan> plans) {
        Map<String, PoolPlan> byName = new HashMap<>();
        plans.forEach(plan -> byName.put(plan.name(), plan));
        poolsLedTo.forEach((name, place) -> {
            if (!byName.containsKey(name)) {
                complaints.add(place, "leads to the pool %s, which is none".formatted(name));
            }
        });
        for (RoutePlan route : routes) {
            if (route.target() instanceof Target.Pools(List<String> names)) {
                checkContent(names.stream().map(byName::get).filter(Objects::nonNull).toList());
            }
        }
    }

    private void checkContent(List<PoolPlan> together) {
        for (PoolPlan plan : together) {
            PoolPlan first = together.getFirst();
            if (plan.limits().contentAsItComes() != first.limits().contentAsItComes()) {
                complaints.add(
                        Objects.requireNonNull(poolsLedTo.get(plan.name())),
                        "leads to %s and %s, which differ in %s"
                                .formatted(
                                        first.name(), plan.name(), AllSettings.REQUEST_BODY.key()));
                return;
            }
        }
    }

    private Target.@Nullable Files files(JsonNode node) {
        Target.Files sent = FilesReader.read(node, folder, complaints);
        if (sent != null && sent.otherwise() != null) {
            poolsLedTo.putIfAbsent(sent.otherwise(), node.place());
        }
        return sent;
    }

    private Target.@Nullable Pools pools(JsonNode node) {
        Set<String> names = new LinkedHashSet<>();
        if (node instanceof JsonNode.Items items) {
            for (JsonNode item : items.items()) {
                if (item instanceof JsonNode.Text name && names.add(name.value())) {
                    poolsLedTo.putIfAbsent(name.value(), node.place());
                } else {
                    complaints.addUnexpected(item, "the name of another pool");
                    return null;
                }
            }
        }
        if (names.size() < FEWEST_POOLS) {
            complaints.addUnexpected(
                    node, "an array of two or more pools; a single pool has the route itself");
            return null;
        }
        return new Target.Pools(List.copyOf(names));
    }

    private @Nullable Target respond(JsonNode node, @Nullable JsonNode prefix) {
        if (prefix != null) {
            complaints.add(prefix.place(), "means nothing to a fixed response: leave it out");
        }
        return RespondReader.read(node, complaints);
    }
}

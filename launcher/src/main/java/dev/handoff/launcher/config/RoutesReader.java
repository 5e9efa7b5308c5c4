package dev.handoff.launcher.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the routes of the top level, each with its target. */
final class RoutesReader {
    static final String RESPOND = "respond";

    /** The targets, one of which each route has. */
    static final List<String> TARGETS = List.of(RESPOND);

    private final Complaints complaints;
    private final RouteClaims claims;

    RoutesReader(Complaints complaints, RouteClaims claims) {
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
        JsonNode respond = conditions.remove(RESPOND);
        PoolRoute read =
                RouteReader.read(
                        new JsonNode.Members(route.place(), conditions), TARGETS, complaints);
        if (respond == null) {
            complaints.add(
                    route.place(),
                    "leads nowhere: expected "
                            + String.join(" or ", TARGETS)
                            + ", or the route in the pool that answers");
            return;
        }
        Target.Respond target = RespondReader.read(respond, complaints);
        JsonNode prefix = conditions.get(RouteReader.PREFIX);
        if (prefix != null) {
            complaints.add(prefix.place(), "means nothing to a fixed response: leave it out");
        }
        if (read != null) {
            claims.add(read.pattern(), route.place());
            if (target != null) {
                plans.add(new RoutePlan(read.pattern(), target));
            }
        }
    }
}

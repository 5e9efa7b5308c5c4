package dev.handoff.launcher.config;

import dev.handoff.http.Body;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Headers;
import dev.handoff.http.HopByHop;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the fields that a target adds to its responses. */
final class FieldsReader {
    /** The most of all field lines, so that clients take the head. */
    static final int MOST_CHARACTERS = 8 * 1024;

    static final String TOO_LONG =
            "is longer than %d characters, which some clients do not take"
                    .formatted(MOST_CHARACTERS);

    private final Set<String> ofServer;
    private final Set<String> ownKeys;
    private final Complaints complaints;
    private boolean good = true;

    private FieldsReader(Set<String> ofServer, Set<String> ownKeys, Complaints complaints) {
        this.ofServer = ofServer;
        this.ownKeys = ownKeys;
        this.complaints = complaints;
    }

    /**
     * The values by their names in lower-case, or null, with a complaint, if something is wrong.
     *
     * @param ofServer the fields that the server writes itself, besides those of the connection
     * @param ownKeys the fields that stand beside the others, each under its own key
     */
    static @Nullable Map<String, List<String>> read(
            JsonNode node, Set<String> ofServer, Set<String> ownKeys, Complaints complaints) {
        FieldsReader reader = new FieldsReader(ofServer, ownKeys, complaints);
        Map<String, List<String>> fields = reader.fields(node);
        return reader.good ? fields : null;
    }

    private Map<String, List<String>> fields(JsonNode node) {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        if (!(node instanceof JsonNode.Members members)) {
            unexpected(node, "an object with a string for each name, or an array of strings");
            return fields;
        }
        int characters = 0;
        for (Map.Entry<String, JsonNode> entry : members.members().entrySet()) {
            String name = entry.getKey().toLowerCase(Locale.ROOT);
            List<String> values = values(entry.getValue());
            for (String value : values) {
                characters += name.length() + value.length();
                judge(entry.getValue(), name, value);
            }
            if (fields.put(name, values) != null) {
                complain(entry.getValue(), "comes twice, in another spelling");
            }
        }
        if (characters > MOST_CHARACTERS) {
            complain(node, TOO_LONG);
        }
        return fields;
    }

    private void judge(JsonNode node, String name, String value) {
        if (ownKeys.contains(name)) {
            complain(node, "has a key of its own: %s, beside headers".formatted(name));
        } else if (HopByHop.isHopByHop(name)
                || ofServer.contains(name)
                || name.equals(ErrorMessage.CODE_FIELD)) {
            complain(node, "is written by the server itself: leave it out");
        } else {
            ResponseFault fault =
                    ResponseFault.of(Response.of(200, Headers.of(name, value), Body.EMPTY));
            if (fault != null) {
                complain(node, "cannot be sent: " + fault.message());
            }
        }
    }

    private List<String> values(JsonNode node) {
        List<JsonNode> nodes = node instanceof JsonNode.Items items ? items.items() : List.of(node);
        if (nodes.isEmpty()) {
            unexpected(node, "at least one string");
        }
        List<String> values = new ArrayList<>();
        for (JsonNode each : nodes) {
            if (each instanceof JsonNode.Text text) {
                values.add(text.value());
            } else {
                unexpected(each, "a string");
            }
        }
        return values;
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

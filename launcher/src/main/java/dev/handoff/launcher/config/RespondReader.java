package dev.handoff.launcher.config;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the fixed response of a route. */
final class RespondReader {
    static final String STATUS = "status";
    static final String LOCATION = "location";
    static final String HEADERS = "headers";
    static final String BODY = "body";
    static final List<String> KEYS = List.of(STATUS, LOCATION, HEADERS, BODY);

    static final int FIRST_STATUS = 200;
    static final int LAST_STATUS = 599;

    /** The most of a body, in UTF-8: it stays in memory, and in the configuration file. */
    static final int MOST_BODY_BYTES = 64 * 1024;

    private static final String CONTENT_TYPE = "content-type";

    /** Fields that the server writes itself, besides those of the connection. */
    private static final Set<String> OF_SERVER = Set.of("content-length", "date");

    /** RFC 9110 section 15.4: they say nothing without a place to go to. */
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private static final int CREATED = 201;

    /** RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5: they have no content. */
    private static final Set<Integer> WITHOUT_CONTENT = Set.of(204, 205, 304);

    private final Complaints complaints;
    private boolean good = true;

    private RespondReader(Complaints complaints) {
        this.complaints = complaints;
    }

    /** The response, or null, with a complaint, if it is none. */
    static Target.@Nullable Respond read(JsonNode node, Complaints complaints) {
        if (!(node instanceof JsonNode.Members members)) {
            complaints.addUnexpected(node, "an object with a status, such as {\"status\": 503}");
            return null;
        }
        return new RespondReader(complaints).respond(members);
    }

    private Target.@Nullable Respond respond(JsonNode.Members node) {
        int status = 0;
        String location = null;
        Map<String, List<String>> headers = new LinkedHashMap<>();
        String body = "";
        for (Map.Entry<String, JsonNode> entry : node.members().entrySet()) {
            JsonNode value = entry.getValue();
            switch (entry.getKey()) {
                case STATUS -> status = status(value);
                case LOCATION -> location = location(value);
                case HEADERS -> headers.putAll(headers(value));
                case BODY -> body = body(value);
                default -> {
                    good = false;
                    complaints.addUnknown(value, entry.getKey(), KEYS);
                }
            }
        }
        if (!node.members().containsKey(STATUS)) {
            complain(node, "has no status: expected one from 200 to 599, such as 301 or 503");
        }
        if (good) {
            judge(node, status, location, body);
        }
        if (!body.isEmpty()) {
            headers.putIfAbsent(CONTENT_TYPE, List.of("text/plain; charset=utf-8"));
        }
        return good ? new Target.Respond(status, location, headers, body) : null;
    }

    /** What fits together. */
    private void judge(JsonNode.Members node, int status, @Nullable String location, String body) {
        if (location == null && REDIRECTS.contains(status)) {
            complain(node, "has status %d and no location to go to".formatted(status));
        }
        if (location != null && status != CREATED && !REDIRECTS.contains(status)) {
            complain(
                    node.members().get(LOCATION),
                    "means nothing with status %d: expected 301, 302, 303, 307, 308 or 201"
                            .formatted(status));
        }
        if (!body.isEmpty() && WITHOUT_CONTENT.contains(status)) {
            complain(
                    node.members().get(BODY),
                    "is never sent with status %d: leave it out".formatted(status));
        }
    }

    private int status(JsonNode node) {
        if (node instanceof JsonNode.Numeral number && number.literal().matches("[2-5][0-9]{2}")) {
            return Integer.parseInt(number.literal());
        }
        unexpected(node, "a number from 200 to 599");
        return 0;
    }

    private @Nullable String location(JsonNode node) {
        String text = text(node, "an address such as /new or https://example.org/new");
        if (text != null && (text.isEmpty() || !text.chars().allMatch(c -> c > ' ' && c < 0x7f))) {
            unexpected(node, "an address in visible ASCII; anything else percent-encoded");
        } else if (text != null && text.length() > FieldsReader.MOST_CHARACTERS) {
            complain(node, FieldsReader.TOO_LONG);
        }
        return text;
    }

    private String body(JsonNode node) {
        String text = text(node, "a string");
        if (text == null) {
            return "";
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            complain(node, "has half of a character, as \\ud800 without its other half");
        } else if (text.getBytes(StandardCharsets.UTF_8).length > MOST_BODY_BYTES) {
            complain(
                    node,
                    "is longer than %s: have a worker answer instead"
                            .formatted(Units.formatSize(MOST_BODY_BYTES)));
        }
        return text;
    }

    private Map<String, List<String>> headers(JsonNode node) {
        Map<String, List<String>> read =
                FieldsReader.read(node, OF_SERVER, Set.of(LOCATION), complaints);
        good &= read != null;
        return read == null ? Map.of() : read;
    }

    private @Nullable String text(JsonNode node, String expected) {
        if (node instanceof JsonNode.Text text) {
            return text.value();
        }
        unexpected(node, expected);
        return null;
    }

    private void unexpected(JsonNode node, String expected) {
        good = false;
        complaints.addUnexpected(node, expected);
    }

    private void complain(@Nullable JsonNode node, String problem) {
        good = false;
        if (node != null) {
            complaints.add(node.place(), problem);
        }
    }
}

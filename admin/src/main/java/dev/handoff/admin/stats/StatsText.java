package dev.handoff.admin.stats;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.JsonValue.ValueType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The text form of {@code /stats}: a line {@code name: value} for each value of the JSON, whose
 * name is the way to it. Elements of arrays go by their name, id, index or file.
 */
final class StatsText {
    private static final List<String> NAMES = List.of("name", "id", "index", "file");

    private StatsText() {}

    static String of(JsonObject stats) {
        Map<String, String> lines = new LinkedHashMap<>();
        addAll(stats, "", lines);
        int column = lines.keySet().stream().mapToInt(String::length).max().orElse(0) + 2;
        StringBuilder text = new StringBuilder();
        lines.forEach((name, value) -> {
            int start = text.length();
            text.append(name).append(':');
            text.repeat(' ', column - (text.length() - start)).append(value).append('\n');
        });
        return text.toString();
    }

    private static void addAll(JsonObject object, String prefix, Map<String, String> lines) {
        object.forEach((name, value) -> add(prefix + name, value, lines));
    }

    private static void add(String name, JsonValue value, Map<String, String> lines) {
        switch (value) {
            case JsonObject object -> addAll(object, name + ".", lines);
            case JsonArray texts when isOfTexts(texts) ->
                    lines.put(
                            name,
                            texts.getValuesAs(JsonString::getString).stream()
                                    .collect(Collectors.joining(", ")));
            case JsonArray array ->
                    array.forEach(each ->
                            addAll(each.asJsonObject(), name + "." + nameOf(each) + ".", lines));
            case JsonString string -> lines.put(name, string.getString());
            default ->
                    lines.put(
                            name, value.getValueType() == ValueType.NULL ? "-" : value.toString());
        }
    }

    private static boolean isOfTexts(JsonArray array) {
        return !array.isEmpty() && array.stream().allMatch(JsonString.class::isInstance);
    }

    private static String nameOf(JsonValue element) {
        JsonObject object = element.asJsonObject();
        for (String name : NAMES) {
            JsonValue value = object.get(name);
            if (value != null) {
                return value instanceof JsonString string ? string.getString() : value.toString();
            }
        }
        throw new IllegalArgumentException("an element without a name: " + object.keySet());
    }
}

package dev.handoff.launcher.operator;

import dev.handoff.process.protocol.SafeText;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.stream.Stream;

/**
 * An object of a response, read leniently, since the server may have another version: a missing
 * number is NaN, a missing text is empty.
 */
record Figures(JsonObject json) {
    Figures at(String name) {
        return new Figures(
                json.get(name) instanceof JsonObject object ? object : JsonValue.EMPTY_JSON_OBJECT);
    }

    List<Figures> list(String name) {
        if (json.get(name) == null || json.get(name).getValueType() != JsonValue.ValueType.ARRAY) {
            return List.of();
        }
        return json.getJsonArray(name).stream().flatMap(Figures::ofObject).toList();
    }

    double number(String name) {
        return json.get(name) instanceof JsonNumber number ? number.doubleValue() : Double.NaN;
    }

    /** The sum of the numbers in this object. */
    double sum() {
        return json.values().stream()
                .filter(JsonNumber.class::isInstance)
                .mapToDouble(number -> ((JsonNumber) number).doubleValue())
                .sum();
    }

    boolean isTrue(String name) {
        return JsonValue.TRUE.equals(json.get(name));
    }

    boolean isFalse(String name) {
        return JsonValue.FALSE.equals(json.get(name));
    }

    /** Safe to print. */
    String text(String name) {
        return json.get(name) instanceof JsonString text ? SafeText.of(text.getString()) : "";
    }

    private static Stream<Figures> ofObject(JsonValue value) {
        return value instanceof JsonObject object ? Stream.of(new Figures(object)) : Stream.of();
    }
}

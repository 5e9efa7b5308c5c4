package dev.handoff.launcher.moving;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of a configuration that Unit has accepted: what is of another kind counts as absent.
 */
final class UnitKeys {
    private UnitKeys() {}

    static JsonObject object(JsonObject in, String key) {
        return in.get(key) instanceof JsonObject object ? object : JsonValue.EMPTY_JSON_OBJECT;
    }

    static @Nullable String text(JsonObject in, String key) {
        return in.get(key) instanceof JsonString text ? text.getString() : null;
    }

    static @Nullable Integer number(JsonObject in, String key) {
        return in.get(key) instanceof JsonNumber number ? number.intValue() : null;
    }

    /** The strings of an array, or a string alone. */
    static List<String> strings(@Nullable JsonValue value) {
        List<String> all = new ArrayList<>();
        for (JsonValue each : items(value)) {
            if (each instanceof JsonString text) {
                all.add(text.getString());
            }
        }
        return all;
    }

    /** The items of an array, or a value alone. */
    static List<JsonValue> items(@Nullable JsonValue value) {
        if (value instanceof JsonArray array) {
            return array;
        }
        return value == null ? List.of() : List.of(value);
    }
}

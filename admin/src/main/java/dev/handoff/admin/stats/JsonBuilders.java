package dev.handoff.admin.stats;

import dev.handoff.admin.api.JsonLibrary;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonBuilderFactory;
import jakarta.json.JsonObjectBuilder;
import java.util.Map;

/**
 * Makes the builders of {@code /stats}. The static methods of {@link Json} search all jars for its
 * implementation each time, a thousand times longer than to make an object; and there are hundreds,
 * one for each worker and distribution.
 */
final class JsonBuilders {
    private static final JsonBuilderFactory FACTORY =
            JsonLibrary.PROVIDER.createBuilderFactory(Map.of());

    private JsonBuilders() {}

    static JsonObjectBuilder object() {
        return FACTORY.createObjectBuilder();
    }

    static JsonArrayBuilder array() {
        return FACTORY.createArrayBuilder();
    }
}

package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonPointer;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Holds the description against the endpoints that it describes. */
@Timeout(60)
class OpenApiTest {
    @Test
    void describesEveryEndpointAndNoOther() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            JsonObject document = admin.json("/openapi.json");
            Set<String> described = new TreeSet<>();
            document.getJsonObject("paths")
                    .forEach((path, item) ->
                            described.addAll(describe(path, item.asJsonObject(), document)));
            Set<String> served = new TreeSet<>();
            admin.admin.endpoints().forEach(each -> served.add(describe(each)));
            assertEquals(served, described);
        }
    }

    @Test
    void namesTheVersionOfTheServer() throws Exception {
        try (RunningAdmin admin = RunningAdmin.start()) {
            JsonObject document = admin.json("/openapi.json");
            assertEquals("3.1.0", document.getString("openapi"));
            assertEquals("1.2.3", document.getJsonObject("info").getString("version"));
        }
    }

    @Test
    void refersToWhatIsThere() {
        JsonObject document =
                Json.createReader(new StringReader(OpenApi.of("1").json())).readObject();
        List<String> references = new ArrayList<>();
        collectReferences(document, references);
        for (String reference : references) {
            JsonPointer pointer = Json.createPointer(reference.substring(1));
            assertTrue(pointer.containsValue(document), reference);
        }
    }

    private static String describe(Endpoint endpoint) {
        return "%s %s %s %s"
                .formatted(
                        endpoint.method(),
                        endpoint.path(),
                        endpoint.access(),
                        new TreeSet<>(endpoint.parameters()));
    }

    private static List<String> describe(String path, JsonObject item, JsonObject document) {
        List<String> described = new ArrayList<>();
        item.forEach((key, value) -> {
            if (!key.equals("parameters")) {
                JsonObject operation = value.asJsonObject();
                boolean open =
                        operation.containsKey("security")
                                && operation.getJsonArray("security").isEmpty();
                described.add(
                        "%s %s %s %s"
                                .formatted(
                                        key.toUpperCase(Locale.ROOT),
                                        path,
                                        open ? "OPEN" : "TOKEN",
                                        parameters(operation, document)));
            }
        });
        return described;
    }

    private static Set<String> parameters(JsonObject operation, JsonObject document) {
        Set<String> names = new TreeSet<>();
        JsonArray given = operation.getJsonArray("parameters");
        if (given != null) {
            for (JsonValue each : given) {
                JsonObject parameter = each.asJsonObject();
                if (parameter.containsKey("$ref")) {
                    String reference = parameter.getString("$ref").substring(1);
                    parameter = Json.createPointer(reference).getValue(document).asJsonObject();
                }
                names.add(parameter.getString("name"));
            }
        }
        return names;
    }

    private static void collectReferences(JsonValue value, List<String> found) {
        switch (value.getValueType()) {
            case OBJECT ->
                    value.asJsonObject()
                            .forEach((key, member) -> {
                                if (key.equals("$ref")) {
                                    found.add(((JsonString) member).getString());
                                } else {
                                    collectReferences(member, found);
                                }
                            });
            case ARRAY -> value.asJsonArray().forEach(each -> collectReferences(each, found));
            case STRING, NUMBER, TRUE, FALSE, NULL -> {}
        }
    }
}

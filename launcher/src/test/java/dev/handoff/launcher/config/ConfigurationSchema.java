package dev.handoff.launcher.config;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonWriter;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The JSON Schema of {@code handoff.json}, made from what the reader reads it with. */
final class ConfigurationSchema {
    private static final Pattern RANGE = Pattern.compile("from (\\d+) to (\\d+)|at least (\\d+)");

    private ConfigurationSchema() {}

    static String text() {
        StringWriter text = new StringWriter();
        try (JsonWriter writer =
                Json.createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true))
                        .createWriter(text)) {
            writer.write(schema());
        }
        return text.toString().strip() + "\n";
    }

    private static JsonObject schema() {
        JsonObjectBuilder keys = Json.createObjectBuilder();
        keys.add(ConfigurationFile.SCHEMA_KEY, string("The address of this schema, for editors."));
        keys.add(ConfigurationFile.POOLS_KEY, pools());
        keys.add(ConfigurationFile.ROUTES_KEY, otherRoutes());
        AllSettings.inFile().forEach(setting -> keys.add(setting.key(), of(setting)));
        return Json.createObjectBuilder()
                .add("$schema", "https://json-schema.org/draft/2020-12/schema")
                .add("title", "Configuration of Handoff")
                .addAll(object(keys))
                .add(
                        "$defs",
                        Json.createObjectBuilder()
                                .add("size", size())
                                .add("time", pattern("^[0-9]+(ms|s|m|h)$")))
                .build();
    }

    private static JsonObjectBuilder pools() {
        return Json.createObjectBuilder()
                .add("description", "The pools, by name.")
                .add("type", "object")
                .add("minProperties", 1)
                .add("propertyNames", pattern("^(?!.*-external$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))
                .add("additionalProperties", pool());
    }

    private static JsonObjectBuilder pool() {
        JsonObjectBuilder keys =
                Json.createObjectBuilder()
                        .add(
                                PoolKey.COMMAND,
                                oneOrMore(
                                        "What starts a worker: a program with its arguments, or a"
                                                + " handler's file. Without it, workers are started"
                                                + " elsewhere.",
                                        Json.createObjectBuilder()
                                                .add("type", "string")
                                                .add("minLength", 1)
                                                .build()))
                        .add(
                                PoolKey.WORKING_DIRECTORY,
                                string("Where workers start: the folder of this file, or below."))
                        .add(PoolKey.ENVIRONMENT, environment())
                        .add(PoolKey.ROUTES, routes());
        PoolKey.settings().forEach((key, setting) -> keys.add(key, of(setting)));
        PoolKey.groups()
                .forEach((group, settings) -> {
                    JsonObjectBuilder members = Json.createObjectBuilder();
                    settings.forEach((key, setting) -> members.add(key, of(setting)));
                    keys.add(group, object(members));
                });
        JsonObjectBuilder dependent = Json.createObjectBuilder();
        for (String key : PoolKey.ofProcesses()) {
            dependent.add(key, Json.createArrayBuilder().add(PoolKey.COMMAND));
        }
        return object(keys).add("dependentRequired", dependent);
    }

    private static JsonObjectBuilder environment() {
        JsonObjectBuilder ofCore = Json.createObjectBuilder();
        PoolKey.ofCore().stream().sorted().forEach(name -> ofCore.add(name, false));
        return Json.createObjectBuilder()
                .add("description", "Variables added to those of the server.")
                .add("type", "object")
                .add("properties", ofCore)
                .add("additionalProperties", Json.createObjectBuilder().add("type", "string"));
    }

    /** Those of a pool. */
    private static JsonObjectBuilder routes() {
        JsonObjectBuilder keys = conditions().add(RouteReader.PREFIX, prefix());
        return Json.createObjectBuilder()
                .add("description", "Which requests the pool answers; all if it is the only one.")
                .add("type", "array")
                .add("minItems", 1)
                .add("items", object(keys));
    }

    /** Those of the top level. */
    private static JsonObjectBuilder otherRoutes() {
        JsonObjectBuilder keys =
                conditions()
                        .add(RouteReader.PREFIX, prefix())
                        .add(RoutesReader.FILES, FilesSchema.files())
                        .add(RoutesReader.RESPOND, respond())
                        .add(RoutesReader.POOLS, poolsOfRoute());
        return Json.createObjectBuilder()
                .add("description", "Routes that lead to no pool, or to several.")
                .add("type", "array")
                .add(
                        "items",
                        object(keys)
                                .add(
                                        "oneOf",
                                        Json.createArrayBuilder()
                                                .add(required(RoutesReader.FILES))
                                                .add(required(RoutesReader.POOLS))
                                                .add(
                                                        required(RoutesReader.RESPOND)
                                                                .add(
                                                                        "not",
                                                                        required(
                                                                                RouteReader
                                                                                        .PREFIX)))));
    }

    private static JsonObjectBuilder poolsOfRoute() {
        return Json.createObjectBuilder()
                .add("description", "The pools that share the requests.")
                .add("type", "array")
                .add("minItems", RoutesReader.FEWEST_POOLS)
                .add("uniqueItems", true)
                .add("items", Json.createObjectBuilder().add("type", "string"));
    }

    private static JsonObjectBuilder prefix() {
        return pattern("^/[^?#\\\\ ]+$")
                .add(
                        "description",
                        "The path below which the application is served:"
                                + " that of the route, or one above it.");
    }

    private static JsonObjectBuilder required(String key) {
        return Json.createObjectBuilder().add("required", Json.createArrayBuilder().add(key));
    }

    private static JsonObjectBuilder respond() {
        JsonObjectBuilder keys =
                Json.createObjectBuilder()
                        .add(
                                RespondReader.STATUS,
                                Json.createObjectBuilder()
                                        .add("type", "integer")
                                        .add("minimum", RespondReader.FIRST_STATUS)
                                        .add("maximum", RespondReader.LAST_STATUS))
                        .add(
                                RespondReader.LOCATION,
                                pattern("^[!-~]+$").add("description", "Where a redirect leads."))
                        .add(RespondReader.HEADERS, fields())
                        .add(RespondReader.BODY, string("The content, as text."));
        return object(keys)
                .add("description", "The same response for every request.")
                .add("required", Json.createArrayBuilder().add(RespondReader.STATUS));
    }

    static JsonObjectBuilder fields() {
        JsonObject text = Json.createObjectBuilder().add("type", "string").build();
        return Json.createObjectBuilder()
                .add("description", "Fields of the response.")
                .add("type", "object")
                .add("additionalProperties", oneOrMore("The value.", text));
    }

    private static JsonObjectBuilder conditions() {
        JsonObject method =
                Json.createObjectBuilder()
                        .add("type", "string")
                        .add("pattern", "^[A-Z0-9!#$%&'*+.^_`|~-]+$")
                        .build();
        return Json.createObjectBuilder()
                .add(
                        RouteReader.HOST,
                        string("A name, or *.NAME for all below it; any if left out."))
                .add(
                        RouteReader.PATH,
                        pattern("^/[^?#*\\\\ ]*$")
                                .add("description", "A prefix of whole segments; / if left out."))
                .add(
                        RouteReader.EXACT,
                        Json.createObjectBuilder()
                                .add("description", "For this path alone, not for those below it.")
                                .add("type", "boolean"))
                .add(RouteReader.METHOD, oneOrMore("All if left out.", method))
                .add(RouteReader.HEADERS, values("The values that a field may have, by its name."))
                .add(
                        RouteReader.QUERY,
                        values("The values that a parameter may have, by its name."))
                .add(
                        RouteReader.SCHEME,
                        Json.createObjectBuilder()
                                .add("description", "What the client has spoken.")
                                .add("enum", Json.createArrayBuilder(RouteReader.SCHEMES)))
                .add(
                        RouteReader.CLIENT,
                        oneOrMore(
                                "Networks of clients, such as 10.0.0.0/8.",
                                Json.createObjectBuilder().add("type", "string").build()))
                .add(
                        RouteReader.LISTEN,
                        oneOrMore(
                                "Where the request came in: places of listen and tlsListen.",
                                Json.createObjectBuilder().add("type", "string").build()));
    }

    private static JsonObjectBuilder values(String description) {
        JsonObject text = Json.createObjectBuilder().add("type", "string").build();
        return Json.createObjectBuilder()
                .add("description", description)
                .add("type", "object")
                .add("minProperties", 1)
                .add("additionalProperties", oneOrMore("One of these.", text));
    }

    private static JsonObjectBuilder of(Setting<?> setting) {
        JsonObjectBuilder schema = Json.createObjectBuilder();
        String preset = setting.presetText();
        schema.add(
                "description", setting.description() + (preset == null ? "" : " [" + preset + "]"));
        switch (setting.syntax().json()) {
            case INTEGER -> schema.addAll(integer(setting));
            case INTEGER_OR_AUTO ->
                    schema.add(
                            "anyOf",
                            Json.createArrayBuilder()
                                    .add(integer(setting))
                                    .add(Json.createObjectBuilder().add("const", "auto")));
            case BOOLEAN -> schema.add("type", "boolean");
            case STRING_OR_INTEGER -> schema.add("$ref", "#/$defs/size");
            case STRING -> {
                switch (setting.syntax().label()) {
                    case "TIME" -> schema.add("$ref", "#/$defs/time");
                    case "LEVEL", "FORMAT" -> schema.add("enum", choices(setting));
                    default -> schema.add("type", "string").add("minLength", 1);
                }
            }
        }
        return schema;
    }

    private static JsonObjectBuilder integer(Setting<?> setting) {
        JsonObjectBuilder schema = Json.createObjectBuilder().add("type", "integer");
        Matcher range = RANGE.matcher(setting.syntax().expected());
        if (range.find()) {
            String least = range.group(1) == null ? range.group(3) : range.group(1);
            schema.add("minimum", Long.parseLong(least));
            if (range.group(2) != null) {
                schema.add("maximum", Long.parseLong(range.group(2)));
            }
        }
        return schema;
    }

    private static JsonArrayBuilder choices(Setting<?> setting) {
        JsonArrayBuilder choices = Json.createArrayBuilder();
        String all = setting.syntax().expected().replace("one of ", "");
        for (String choice : all.split(", ", -1)) {
            choices.add(choice);
        }
        return choices;
    }

    static JsonObjectBuilder object(JsonObjectBuilder keys) {
        return Json.createObjectBuilder()
                .add("type", "object")
                .add("properties", keys)
                .add("additionalProperties", false);
    }

    private static JsonObjectBuilder oneOrMore(String description, JsonObject one) {
        return Json.createObjectBuilder()
                .add("description", description)
                .add(
                        "anyOf",
                        Json.createArrayBuilder()
                                .add(one)
                                .add(
                                        Json.createObjectBuilder()
                                                .add("type", "array")
                                                .add("minItems", 1)
                                                .add("items", one)));
    }

    static JsonObjectBuilder string(String description) {
        return Json.createObjectBuilder().add("description", description).add("type", "string");
    }

    static JsonObjectBuilder pattern(String regex) {
        return Json.createObjectBuilder().add("type", "string").add("pattern", regex);
    }

    private static JsonObjectBuilder size() {
        return Json.createObjectBuilder()
                .add(
                        "anyOf",
                        Json.createArrayBuilder()
                                .add(
                                        Json.createObjectBuilder()
                                                .add("type", "integer")
                                                .add("minimum", 0))
                                .add(pattern("^[0-9]+(KiB|MiB|GiB)?$")));
    }
}

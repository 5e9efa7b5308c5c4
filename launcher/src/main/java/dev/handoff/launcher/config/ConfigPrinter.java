package dev.handoff.launcher.config;

import dev.handoff.admin.api.JsonLibrary;
import dev.handoff.server.files.FileOptions;
import dev.handoff.server.forwarding.Network;
import dev.handoff.server.routing.RouteConditions;
import dev.handoff.server.routing.RoutePattern;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Writes a configuration as JSON: each value with where it comes from. Values of variables are left
 * out, as they may be secret.
 */
public final class ConfigPrinter {
    private static final String MASK = "***";

    private final JsonGenerator json;

    private ConfigPrinter(JsonGenerator json) {
        this.json = json;
    }

    public static String print(Configuration configuration) throws UsageException {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator =
                JsonLibrary.PROVIDER
                        .createGeneratorFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true))
                        .createGenerator(text)) {
            new ConfigPrinter(generator).write(configuration);
        }
        return text.toString().strip();
    }

    private void write(Configuration configuration) throws UsageException {
        json.writeStartObject().writeStartObject("settings");
        for (Setting<?> setting : AllSettings.inFile()) {
            write(setting, configuration.options());
        }
        json.writeEnd().writeStartObject(ConfigurationFile.POOLS_KEY);
        for (PoolPlan plan : configuration.pools()) {
            write(plan);
        }
        json.writeEnd();
        if (!configuration.routes().isEmpty()) {
            json.writeStartArray(ConfigurationFile.ROUTES_KEY);
            configuration.routes().forEach(this::write);
            json.writeEnd();
        }
        json.writeEnd();
    }

    private void write(RoutePlan route) {
        json.writeStartObject();
        writeConditions(route.pattern());
        switch (route.target()) {
            case Target.Files files -> write(files, route.prefix());
            case Target.Respond respond -> write(respond);
            case Target.Pools pools -> write(pools, route.prefix());
        }
        json.writeEnd();
    }

    private void write(Target.Pools target, String prefix) {
        writePrefix(prefix);
        json.writeStartArray(RoutesReader.POOLS);
        target.names().forEach(json::write);
        json.writeEnd();
    }

    private void writePrefix(String prefix) {
        if (!prefix.isEmpty()) {
            json.write(RouteReader.PREFIX, prefix);
        }
    }

    private void write(Target.Files target, String prefix) {
        FileOptions files = target.options();
        writePrefix(prefix);
        json.writeStartObject(RoutesReader.FILES)
                .write(FilesReader.FOLDER, files.folder().toString())
                .write(FilesReader.INDEX, files.index());
        if (files.fallback() != null) {
            json.write(FilesReader.FALLBACK, files.fallback());
        }
        if (target.otherwise() != null) {
            json.writeStartObject(FilesReader.FALLBACK)
                    .write(FilesReader.POOL, target.otherwise())
                    .writeEnd();
        }
        if (files.notFound() != null) {
            json.write(FilesReader.NOT_FOUND, files.notFound());
        }
        json.writeStartObject(FilesReader.HEADERS);
        Map<String, List<String>> fields = new TreeMap<>();
        for (int i = 0; i < files.headers().size(); i++) {
            String name = files.headers().name(i);
            fields.put(name, files.headers().all(name));
        }
        writeFields(fields);
        json.writeEnd().writeStartObject(FilesReader.TYPES);
        new TreeMap<>(files.types()).forEach(json::write);
        json.writeEnd().write(FilesReader.PRECOMPRESSED, files.precompressed()).writeEnd();
    }

    private void writeFields(Map<String, List<String>> fields) {
        fields.forEach((name, values) -> {
            json.writeStartArray(name);
            values.forEach(json::write);
            json.writeEnd();
        });
    }

    private void write(Target.Respond respond) {
        json.writeStartObject(RoutesReader.RESPOND).write(RespondReader.STATUS, respond.status());
        if (respond.location() != null) {
            json.write(RespondReader.LOCATION, respond.location());
        }
        json.writeStartObject(RespondReader.HEADERS);
        writeFields(respond.sortedHeaders());
        json.writeEnd().write(RespondReader.BODY, respond.body()).writeEnd();
    }

    private void write(PoolPlan plan) throws UsageException {
        json.writeStartObject(plan.name());
        Workers workers = plan.workers();
        if (workers != null) {
            json.writeStartArray(PoolKey.COMMAND);
            workers.command().arguments().forEach(json::write);
            json.writeEnd();
            if (workers.workingDirectory() != null) {
                json.write(PoolKey.WORKING_DIRECTORY, workers.workingDirectory().toString());
            }
            json.writeStartObject(PoolKey.ENVIRONMENT);
            new TreeSet<>(workers.environment().keySet()).forEach(name -> json.write(name, MASK));
            json.writeEnd();
        }
        json.writeStartArray(PoolKey.ROUTES);
        plan.routes().forEach(this::write);
        json.writeEnd().writeStartObject("settings");
        for (Setting<?> setting : AllSettings.ofPool(workers != null)) {
            write(setting, plan.options());
        }
        json.writeEnd().writeEnd();
    }

    private void write(PoolRoute route) {
        json.writeStartObject();
        writeConditions(route.pattern());
        if (!route.prefix().isEmpty()) {
            json.write(RouteReader.PREFIX, route.prefix());
        }
        json.writeEnd();
    }

    private void writeConditions(RoutePattern route) {
        if (route.host() != null) {
            json.write(RouteReader.HOST, route.host());
        }
        json.write(RouteReader.PATH, route.path());
        if (!route.methods().isEmpty()) {
            writeSorted(RouteReader.METHOD, route.methods());
        }
        if (route.exact()) {
            json.write(RouteReader.EXACT, true);
        }
        writeConditions(route.conditions());
    }

    private void writeConditions(RouteConditions conditions) {
        writeValues(RouteReader.HEADERS, conditions.headers());
        writeValues(RouteReader.QUERY, conditions.query());
        if (conditions.scheme() != null) {
            json.write(RouteReader.SCHEME, conditions.scheme());
        }
        if (!conditions.clients().isEmpty()) {
            writeSorted(
                    RouteReader.CLIENT,
                    conditions.clients().stream()
                            .map(Network::toString)
                            .collect(Collectors.toSet()));
        }
        if (!conditions.places().isEmpty()) {
            writeSorted(RouteReader.LISTEN, conditions.places());
        }
    }

    private void writeValues(String key, Map<String, Set<String>> values) {
        if (!values.isEmpty()) {
            json.writeStartObject(key);
            new TreeMap<>(values).forEach(this::writeSorted);
            json.writeEnd();
        }
    }

    private void writeSorted(String key, Set<String> values) {
        json.writeStartArray(key);
        new TreeSet<>(values).forEach(json::write);
        json.writeEnd();
    }

    /** The value, or in words what stands in for it, and its origin. */
    private <T> void write(Setting<T> setting, Options options) throws UsageException {
        json.writeStartObject(setting.key());
        T value = options.find(setting);
        if (value == null) {
            json.writeNull("value");
            if (setting.presetText() != null) {
                json.write("means", setting.presetText());
            }
        } else if (value instanceof Integer || setting.syntax().json() == Syntax.JsonType.INTEGER) {
            json.write("value", Long.parseLong(setting.syntax().formatter().apply(value)));
        } else if (value instanceof Boolean flag) {
            json.write("value", flag);
        } else {
            json.write("value", setting.syntax().formatter().apply(value));
        }
        json.write("from", options.source(setting)).writeEnd();
    }
}

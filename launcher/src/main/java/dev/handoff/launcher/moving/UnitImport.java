package dev.handoff.launcher.moving;

import dev.handoff.admin.api.JsonLibrary;
import dev.handoff.launcher.config.UntrustedFile;
import dev.handoff.launcher.config.UsageException;
import jakarta.json.JsonConfig;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonReaderFactory;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.stream.JsonGenerator;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Makes a {@code handoff.json} of a configuration of NGINX Unit, as {@code GET /config} gives it.
 * Whatever has no answer here is left out and noted.
 */
public final class UnitImport {
    private static final int MOST_BYTES = 1 << 20;

    /** Of two keys with one name, others would take another one. */
    private static final JsonReaderFactory READERS =
            JsonLibrary.PROVIDER.createReaderFactory(
                    Map.of(JsonConfig.KEY_STRATEGY, JsonConfig.KeyStrategy.NONE));

    /** Keys of {@code settings/http} that are times in seconds, and what they are called here. */
    private static final Map<String, String> TIMES =
            Map.of(
                    "header_read_timeout", "headerTimeout",
                    "body_read_timeout", "bodyTimeout",
                    "send_timeout", "writeTimeout",
                    "idle_timeout", "idleTimeout");

    private static final String MAX_BODY_SIZE = "max_body_size";

    private final Notes notes = new Notes();
    private final Map<String, Object> made = new LinkedHashMap<>();
    private final JsonObject unit;

    private UnitImport(JsonObject unit) {
        this.unit = unit;
    }

    /**
     * Reads a file with a configuration of Unit.
     *
     * @throws UsageException if it cannot be read, or is none
     */
    public static Moved of(Path file) throws UsageException {
        JsonObject unit = read(file);
        if (unit.containsKey("config") && !unit.containsKey("listeners")) {
            unit = UnitKeys.object(unit, "config"); // of GET /
        }
        if (!(unit.get("listeners") instanceof JsonObject)) {
            throw new UsageException(
                    file + " is no configuration of NGINX Unit: it has no object \"listeners\"");
        }
        return new UnitImport(unit).moved();
    }

    private static JsonObject read(Path file) throws UsageException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new UsageException(file + " is no regular file");
        }
        try {
            byte[] bytes = UntrustedFile.beginning(file, MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new UsageException(file + " has more than 1 MiB");
            }
            String text = Comments.blanked(new String(bytes, StandardCharsets.UTF_8));
            try (JsonReader reader = READERS.createReader(new StringReader(text))) {
                return reader.readObject();
            } catch (RuntimeException broken) {
                // Not only a JsonException, as where it is nested too deep.
                throw new UsageException(file + " is no JSON object: " + broken.getMessage());
            }
        } catch (NoSuchFileException missing) {
            throw new UsageException("there is no file " + file);
        } catch (IOException failure) {
            throw new UsageException("cannot read " + file + ": " + failure.getMessage());
        }
    }

    private Moved moved() {
        notes.addUnknown(
                "",
                unit.keySet(),
                Set.of(
                        "listeners",
                        "applications",
                        "routes",
                        "upstreams",
                        "settings",
                        "access_log"));
        UnitPools pools = new UnitPools(UnitKeys.object(unit, "applications"), notes);
        UnitRoutes routes =
                new UnitRoutes(
                        unit.get("routes"),
                        UnitKeys.object(unit, "upstreams"),
                        pools,
                        mediaTypes(),
                        notes);
        new UnitListeners(UnitKeys.object(unit, "listeners"), notes).move(routes, made);
        settings();
        accessLog();
        pools.noteUnused();
        routes.finish();
        if (!pools.made().isEmpty()) {
            made.put("pools", pools.made());
        }
        if (!routes.withoutPool().isEmpty()) {
            made.put("routes", routes.withoutPool());
        }
        return new Moved(text(made), notes.lines());
    }

    private void settings() {
        JsonObject settings = UnitKeys.object(unit, "settings");
        JsonObject http = UnitKeys.object(settings, "http");
        notes.addUnknown("/settings", settings.keySet(), Set.of("http"));
        for (Map.Entry<String, JsonValue> each : http.entrySet()) {
            String key = TIMES.get(each.getKey());
            if (key != null && each.getValue() instanceof JsonNumber seconds) {
                made.put(key, seconds.longValue() + "s");
            } else if (each.getKey().equals(MAX_BODY_SIZE)
                    && each.getValue() instanceof JsonNumber bytes) {
                made.put("maxBody", bytes.longValue());
            } else if (!each.getKey().equals("static")) {
                notes.add(
                        Notes.member("/settings/http", each.getKey()),
                        "has no answer here: left out");
            }
        }
    }

    /** By endings, as the key {@code types} of {@code files} has them. */
    private Map<String, Object> mediaTypes() {
        JsonObject http = UnitKeys.object(UnitKeys.object(unit, "settings"), "http");
        Map<String, Object> types = new LinkedHashMap<>();
        UnitKeys.object(UnitKeys.object(http, "static"), "mime_types")
                .forEach((type, endings) ->
                        UnitKeys.strings(endings).forEach(ending -> types.put(ending, type)));
        return types;
    }

    private void accessLog() {
        JsonValue log = unit.get("access_log");
        if (log instanceof JsonString path) {
            made.put("accessLog", path.getString());
        } else if (log instanceof JsonObject object) {
            String path = UnitKeys.text(object, "path");
            if (path != null) {
                made.put("accessLog", path);
            }
            notes.addUnknown("/access_log", object.keySet(), Set.of("path"));
        }
    }

    private static String text(Map<String, Object> made) {
        StringWriter text = new StringWriter();
        JsonLibrary.PROVIDER
                .createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true))
                .createWriter(text)
                .writeObject(JsonLibrary.PROVIDER.createObjectBuilder(made).build());
        return text.toString().strip();
    }
}

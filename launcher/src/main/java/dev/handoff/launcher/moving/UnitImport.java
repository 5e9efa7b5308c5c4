package dev.handoff.launcher.moving;

import dev.handoff.admin.api.JsonLibrary;
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
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
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
            throw new UsageException("cannot read " + file + ": " + failure);
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
        listeners(routes);
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

    /** Those that pass to the same as the first one are places where Handoff listens. */
    private void listeners(UnitRoutes routes) {
        JsonObject first = null;
        List<String> places = new ArrayList<>();
        for (Map.Entry<String, JsonValue> each : UnitKeys.object(unit, "listeners").entrySet()) {
            String address = each.getKey();
            String pointer = Notes.member("/listeners", address);
            if (!(each.getValue() instanceof JsonObject listener)) {
                notes.add(pointer, "is no object: left out");
            } else if (first == null) {
                first = listener;
                places.add(place(address));
                listener(listener, pointer, routes);
            } else if (!listener.equals(first)) {
                notes.add(
                        pointer,
                        "is not as the first listener: all places where Handoff listens lead to the"
                                + " same routes, so start a second server for it");
            } else {
                places.add(place(address));
            }
        }
        String all = String.join(",", places);
        if (places.size() == 1 && all.matches("[^:]+:[0-9]{1,5}|\\[.*]:[0-9]{1,5}")) {
            int colon = all.lastIndexOf(':');
            made.put("host", all.substring(0, colon).replaceAll("[\\[\\]]", ""));
            made.put("port", Integer.parseInt(all.substring(colon + 1)));
        } else if (!places.isEmpty()) {
            made.put("listen", all);
        }
    }

    private static String place(String address) {
        return address.startsWith("*:") ? "0.0.0.0" + address.substring(1) : address;
    }

    private void listener(JsonObject listener, String pointer, UnitRoutes routes) {
        if (listener.containsKey("tls")) {
            notes.add(
                    pointer + "/tls",
                    "is yours to set: tlsListen, tlsCertificate and tlsKey take its place (docs/CONFIGURATION.md)");
        }
        JsonObject forwarded =
                UnitKeys.object(
                        listener, listener.containsKey("forwarded") ? "forwarded" : "client_ip");
        List<String> proxies = UnitKeys.strings(forwarded.get("source"));
        if (!proxies.isEmpty()) {
            made.put("trustedProxy", String.join(",", proxies));
        }
        notes.addUnknown(
                pointer, listener.keySet(), Set.of("pass", "tls", "forwarded", "client_ip"));
        routes.pass(UnitKeys.text(listener, "pass"), pointer + "/pass", Map.of());
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

package dev.handoff.launcher;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the log of a process that was started with {@code --log-format json}. */
final class JsonLog {
    private static final Pattern PORT = Pattern.compile("→ http://127\\.0\\.0\\.1:([0-9]+)/");

    private JsonLog() {}

    static JsonObject read(String line) {
        try (JsonReader reader = Json.createReader(new StringReader(line))) {
            return reader.readObject();
        }
    }

    /** Where it serves, once it does. */
    static int port(HandoffProcess handoff) {
        String line = handoff.stdout().await(each -> each.contains("→ http://"));
        Matcher port = PORT.matcher(read(line).getString("message"));
        if (!port.find()) {
            throw new AssertionError("no port in " + line);
        }
        return Integer.parseInt(port.group(1));
    }
}

package dev.handoff.launcher.check;

import dev.handoff.admin.api.JsonLibrary;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.util.Set;

/** The keys of a JSON object that a worker wrote, also those that mean nothing to the core. */
final class JsonKeys {
    private JsonKeys() {}

    /**
     * @param json of a frame that was read before; empty for none
     */
    static Set<String> of(String json) {
        if (json.isEmpty()) {
            return Set.of();
        }
        try (JsonReader reader = JsonLibrary.PROVIDER.createReader(new StringReader(json))) {
            return Set.copyOf(reader.readObject().keySet());
        }
    }
}

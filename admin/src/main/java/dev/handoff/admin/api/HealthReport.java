package dev.handoff.admin.api;

import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.util.List;

/**
 * Whether the server is live or ready, and why not.
 *
 * @param cause in words; also there when all is well
 * @param pools how each of them is
 */
record HealthReport(boolean ok, String cause, List<OfPool> pools) {
    /**
     * How a pool is.
     *
     * @param cause why it is not ready, to follow its name; empty if it is
     */
    record OfPool(String name, String cause) {
        boolean ok() {
            return cause.isEmpty();
        }

        String sentence() {
            return "pool " + name + " " + cause;
        }
    }

    /**
     * @param key what it is about
     */
    String json(String key) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonLibrary.PROVIDER.createGenerator(text)) {
            json.writeStartObject().write(key, ok).write("cause", cause).writeStartArray("pools");
            for (OfPool pool : pools) {
                json.writeStartObject()
                        .write("name", pool.name)
                        .write(key, pool.ok())
                        .write("cause", pool.ok() ? key : pool.sentence())
                        .writeEnd();
            }
            json.writeEnd().writeEnd();
        }
        return text.append('\n').toString();
    }
}

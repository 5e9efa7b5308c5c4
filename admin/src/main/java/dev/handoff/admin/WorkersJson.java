package dev.handoff.admin;

import dev.handoff.process.PoolSnapshot;
import jakarta.json.Json;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.util.List;

/** The body of {@code GET /workers}: the pools, and the workers of each. */
final class WorkersJson {
    private WorkersJson() {}

    static String of(List<PoolSnapshot> pools) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = Json.createGenerator(text)) {
            json.writeStartObject().writeStartArray("pools");
            pools.forEach(pool -> write(pool, json));
            json.writeEnd().writeEnd();
        }
        return text.append('\n').toString();
    }

    private static void write(PoolSnapshot pool, JsonGenerator json) {
        json.writeStartObject()
                .write("name", pool.name())
                .write("window", pool.window())
                .write("inFlight", pool.inFlight())
                .write("queued", pool.queued())
                .write("queuedBytes", pool.queuedBytes())
                .write("queueLimit", pool.queueLimit())
                .write("draining", pool.draining())
                .write("lastError", pool.lastError())
                .writeStartArray("workers");
        pool.workers().forEach(worker -> write(worker, json));
        json.writeEnd().writeEnd();
    }

    private static void write(PoolSnapshot.Worker worker, JsonGenerator json) {
        json.writeStartObject()
                .write("id", worker.id())
                .write("name", worker.name())
                .write("pid", worker.pid())
                .write("state", worker.state())
                .write("window", worker.window())
                .write("inFlight", worker.inFlight())
                .write("restarts", worker.restarts())
                .write("memoryBytes", worker.memoryBytes())
                .write("lastError", worker.lastError())
                .writeEnd();
    }
}

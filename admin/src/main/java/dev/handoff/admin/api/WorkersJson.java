package dev.handoff.admin.api;

import dev.handoff.process.dispatch.PoolSnapshot;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code GET /workers}: the pools, and the workers of each. Those that retire stand
 * apart, since a pool may serve under the same name, with workers of the same ids.
 */
final class WorkersJson {
    private final Instant now;
    private final JsonGenerator json;

    private WorkersJson(Instant now, JsonGenerator json) {
        this.now = now;
        this.json = json;
    }

    static String of(
            PoolQuestions.Answers<PoolSnapshot> serving,
            PoolQuestions.Answers<PoolSnapshot> retiring,
            Instant now) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonLibrary.PROVIDER.createGenerator(text)) {
            new WorkersJson(now, json).write(serving, retiring);
        }
        return text.append('\n').toString();
    }

    private void write(
            PoolQuestions.Answers<PoolSnapshot> serving,
            PoolQuestions.Answers<PoolSnapshot> retiring) {
        json.writeStartObject().writeStartArray("pools");
        serving.answers().values().forEach(this::write);
        json.writeEnd().writeStartArray("retiring");
        retiring.answers().values().forEach(this::write);
        json.writeEnd().writeStartArray("unresponsive");
        serving.silent().forEach(json::write);
        retiring.silent().forEach(json::write);
        json.writeEnd().writeEnd();
    }

    private void write(PoolSnapshot pool) {
        json.writeStartObject()
                .write("name", pool.name())
                .write("concurrency", pool.concurrency())
                .write("inFlight", pool.inFlight())
                .write("streams", pool.streams())
                .write("queued", pool.queued())
                .write("queuedBytes", pool.queuedBytes())
                .write("queueLimit", pool.queueLimit())
                .write("queueLimitBytes", pool.queueLimitBytes())
                .write("oldestWaitMillis", Times.millis(pool.oldestWaitNanos()))
                .write("saturated", pool.saturated())
                .write("overloaded", pool.overloaded())
                .write("draining", pool.draining())
                .write("lastError", pool.lastError())
                .writeStartArray("workers");
        pool.workers().forEach(this::write);
        json.writeEnd().writeEnd();
    }

    private void write(PoolSnapshot.Worker worker) {
        json.writeStartObject()
                .write("id", worker.id())
                .write("name", worker.name())
                .write("pid", worker.pid())
                .write("host", worker.host())
                .write("state", worker.state())
                .write("concurrency", worker.concurrency())
                .write("inFlight", worker.inFlight())
                .write("streams", worker.streams())
                .write("requests", worker.counts().requests())
                .write("failures", worker.counts().failures())
                .write("cancels", worker.counts().cancels())
                .write("lateResponses", worker.counts().lateResponses())
                .write("restarts", worker.restarts());
        writeAge(worker.startedAt());
        json.write("memoryBytes", worker.memoryBytes())
                .write("oldestRequestMillis", Times.millis(worker.oldestNanos()))
                .write("lastError", worker.lastError())
                .writeEnd();
    }

    private void writeAge(@Nullable Instant startedAt) {
        if (startedAt == null) {
            json.writeNull("startedAt").writeNull("ageSeconds");
            return;
        }
        long seconds = now.getEpochSecond() - startedAt.getEpochSecond();
        json.write("startedAt", startedAt.toString()).write("ageSeconds", Math.max(0, seconds));
    }
}

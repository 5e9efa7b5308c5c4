package dev.handoff.admin.api;

import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.OldestRequests;
import dev.handoff.process.dispatch.RequestSnapshot;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code GET /requests}: those in hand, the oldest first. A target is shown without its
 * query, which may hold secrets, and cut.
 */
final class RequestsJson {
    private static final int MOST_TARGET = 200;
    private static final int MOST_METHOD = 32;

    private record OfPool(WorkerPool pool, RequestSnapshot request) {}

    private RequestsJson() {}

    /**
     * @param serving the pools that do not retire
     */
    static String of(
            PoolQuestions.Answers<OldestRequests> pools, List<WorkerPool> serving, int most) {
        List<OfPool> oldest = new ArrayList<>();
        int count = 0;
        for (var entry : pools.answers().entrySet()) {
            WorkerPool pool = entry.getKey();
            count += entry.getValue().count();
            entry.getValue().oldest().forEach(each -> oldest.add(new OfPool(pool, each)));
        }
        oldest.sort(Comparator.comparing((OfPool each) -> each.request.age()).reversed());
        List<OfPool> shown = oldest.subList(0, Math.min(most, oldest.size()));
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonLibrary.PROVIDER.createGenerator(text)) {
            json.writeStartObject().write("inHand", count).write("shown", shown.size());
            json.writeStartArray("requests");
            shown.forEach(each -> write(each, !serving.contains(each.pool), json));
            json.writeEnd().writeStartArray("unresponsive");
            pools.silent().forEach(json::write);
            json.writeEnd().writeEnd();
        }
        return text.append('\n').toString();
    }

    private static void write(OfPool each, boolean retiring, JsonGenerator json) {
        RequestSnapshot request = each.request;
        json.writeStartObject();
        write("id", request.id(), json);
        write("traceId", request.traceId(), json);
        json.write("pool", each.pool.name()).write("retiring", retiring);
        write("worker", request.worker(), json);
        json.write("state", request.state().name().toLowerCase(Locale.ROOT))
                .write("method", cut(request.method(), MOST_METHOD))
                .write("target", target(request.target()))
                .write("client", request.client())
                .write("ageMillis", Times.millis(request.age()))
                .write("waitMillis", Times.millis(request.waited()))
                .write("handlerMillis", Times.millis(request.handled()))
                .write("deadlineInMillis", Times.millis(request.left()))
                .write("bodyBytes", request.bodyBytes())
                .write("streamedBytes", request.streamedBytes())
                .writeEnd();
    }

    private static void write(String name, @Nullable String value, JsonGenerator json) {
        if (value == null) {
            json.writeNull(name);
        } else {
            json.write(name, value);
        }
    }

    private static String target(String raw) {
        int query = raw.indexOf('?');
        return cut(query < 0 ? raw : raw.substring(0, query), MOST_TARGET);
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + "…";
    }
}

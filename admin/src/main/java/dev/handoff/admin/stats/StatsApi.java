package dev.handoff.admin.stats;

import dev.handoff.admin.api.Call;
import dev.handoff.admin.api.Endpoint;
import dev.handoff.admin.api.JsonBody;
import dev.handoff.admin.api.LastResult;
import dev.handoff.admin.api.Problem;
import dev.handoff.admin.api.ProblemException;
import dev.handoff.admin.api.Query;
import dev.handoff.admin.api.Responses;
import dev.handoff.http.Body;
import dev.handoff.http.ErrorForm;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** The endpoints of {@code /stats}. On the admin server's loop. */
public final class StatsApi {
    private final Statistics statistics;
    private final StatsJson values;
    private final LastResult<Window, JsonObject> current;
    private final LastResult<JsonObject, Body> json =
            new LastResult<>(stats -> Body.utf8(stats + "\n"));
    private final LastResult<JsonObject, Body> text =
            new LastResult<>(stats -> Body.utf8(StatsText.of(stats)));

    /**
     * @param version of the server
     * @param draining whether the server lets its requests finish, to end
     */
    public StatsApi(
            Statistics statistics,
            ObservedServer observed,
            String version,
            BooleanSupplier draining) {
        this.statistics = statistics;
        this.values = new StatsJson(observed, version, draining);
        this.current = new LastResult<>(values::of);
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/stats", this::stats).taking("window"),
                Endpoint.post("/stats/reset", this::reset));
    }

    private CompletionStage<Response> stats(Call call) throws ProblemException {
        String wanted = call.query().text("window");
        if (wanted == null || wanted.equals("current")) {
            return statistics.window().thenApply(window -> answer(current.of(window), call));
        }
        if (!wanted.equals("previous")) {
            throw Query.expected("window", wanted, "current or previous");
        }
        Window previous = statistics.previous();
        if (previous == null) {
            throw new ProblemException(
                    new Problem(
                            404,
                            "no_previous_window",
                            "there is none before the first POST /stats/reset"));
        }
        return CompletableFuture.completedFuture(answer(values.of(previous), call));
    }

    private CompletionStage<Response> reset(Call call) throws ProblemException {
        JsonBody.requireEmpty(call.request().body());
        return statistics.reset().thenApply(window -> answer(values.of(window), call));
    }

    private Response answer(JsonObject stats, Call call) {
        return wantsText(call.request())
                ? Responses.text(200, text.of(stats))
                : Responses.json(200, json.of(stats));
    }

    /** JSON unless plain text is named and JSON is not. */
    private static boolean wantsText(Request request) {
        Headers headers = request.headers();
        if (ErrorForm.of(request.method(), headers).asProblem()) {
            return false;
        }
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equalsIgnoreCase("accept")
                    && headers.value(i).toLowerCase(Locale.ROOT).contains("text/plain")) {
                return true;
            }
        }
        return false;
    }
}

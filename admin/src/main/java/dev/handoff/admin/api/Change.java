package dev.handoff.admin.api;

import dev.handoff.http.Response;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.supervise.PoolChange;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A change of a pool that an operator asked for. The response comes as soon as the change has
 * begun, or when it is over, as the caller wants. A change that is impossible is refused with the
 * reason in either case.
 *
 * @param pool whose loop does it
 * @param kind what is changed, in one word: its key in the response
 */
record Change(WorkerPool pool, String kind, String name, CompletableFuture<PoolChange> outcome) {
    /** A caller who waits longer is told that the change goes on. */
    static final int WAIT_SECONDS = 60;

    private static final int ACCEPTED = 202;

    /** The pool's loop does the change first, so a task behind it finds it begun. */
    CompletionStage<Response> answerWhenBegun(Executor loop) {
        return pool.loop()
                .ask(() -> true)
                .orTimeout(OpenQuestions.PATIENCE_NANOS, TimeUnit.NANOSECONDS)
                .handleAsync(
                        (begun, late) -> {
                            if (late != null) {
                                return new Problem(
                                                503,
                                                "unresponsive",
                                                "the event loop of pool %s does not respond"
                                                        .formatted(pool.name()))
                                        .response();
                            }
                            return outcome.isDone()
                                    ? answer(outcome.join(), ACCEPTED)
                                    : Responses.json(ACCEPTED, json("begun", 0));
                        },
                        loop);
    }

    CompletionStage<Response> answerWhenOver(Executor loop) {
        return outcome.copy()
                .orTimeout(WAIT_SECONDS, TimeUnit.SECONDS)
                .handleAsync(
                        (over, late) ->
                                late == null
                                        ? answer(over, 200)
                                        : Responses.json(ACCEPTED, json("begun", 0)),
                        loop);
    }

    private Response answer(PoolChange over, int statusOfSuccess) {
        return switch (over) {
            case PoolChange.Done(int workers) ->
                    Responses.json(statusOfSuccess, json("done", workers));
            case PoolChange.Failed(int workers, var error) ->
                    new Problem(
                                    409,
                                    "failed",
                                    "%d done, then given up; the others go on as they are: %s"
                                            .formatted(workers, error.summary()))
                            .response();
            case PoolChange.Refused(String reason) -> Problem.conflict(reason).response();
            case PoolChange.Unknown() -> unknown(kind, name).response();
        };
    }

    static Problem unknown(String kind, String name) {
        return Problem.notFound("there is no %s %s".formatted(kind, Problem.quoted(name)));
    }

    private String json(String state, int workers) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonLibrary.PROVIDER.createGenerator(text)) {
            json.writeStartObject()
                    .write(kind, name)
                    .write("state", state)
                    .write("workers", workers)
                    .writeEnd();
        }
        return text.append('\n').toString();
    }
}

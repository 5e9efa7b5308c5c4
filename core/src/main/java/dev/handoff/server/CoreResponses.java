package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Refusal;
import dev.handoff.http.Response;

/** The small plain-text answers that the server makes itself. Each names its rule or limit. */
final class CoreResponses {
    private static final String TEXT = "text/plain; charset=utf-8";

    private CoreResponses() {}

    static Response of(Refusal refusal) {
        return Response.of(
                refusal.status(),
                Headers.of("content-type", TEXT, "handoff-error", refusal.wireName()),
                Body.utf8(refusal.message() + "\n"));
    }

    static Response of(Failure failure) {
        Headers.Builder headers =
                new Headers.Builder()
                        .add("content-type", TEXT)
                        .add("handoff-error", failure.code());
        if (failure.retryAfterSeconds() > 0) {
            headers.add("retry-after", Integer.toString(failure.retryAfterSeconds()));
        }
        return Response.of(failure.status(), headers.build(), Body.utf8(failure.message() + "\n"));
    }
}

package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.ErrorForm;
import dev.handoff.http.Headers;
import dev.handoff.http.ReasonPhrases;
import dev.handoff.http.Refusal;
import dev.handoff.http.Response;
import org.jspecify.annotations.Nullable;

/**
 * The small answers that the server makes itself. Each names its rule or limit, as plain text or,
 * for a client that asked for it, as a problem (RFC 9457). No cache may keep them: they speak of
 * one request, or of this moment.
 */
final class CoreResponses {
    private static final String ERROR = "handoff-error";

    private CoreResponses() {}

    /**
     * @param limit the limit that it comes from, if that has a name; else empty
     */
    static Response of(Refusal refusal, String limit, ErrorForm form) {
        Headers.Builder headers = headers(refusal.wireName(), form);
        String sentence = refusal.message();
        String message =
                limit.isEmpty()
                        ? sentence
                        : "%s (%s).".formatted(sentence.substring(0, sentence.length() - 1), limit);
        return Response.of(
                refusal.status(),
                headers.build(),
                content(refusal.status(), refusal.wireName(), message, form));
    }

    static Response of(Failure failure, ErrorForm form) {
        Headers.Builder headers = headers(failure.code(), form);
        if (failure.retryAfterSeconds() > 0) {
            headers.add("retry-after", Integer.toString(failure.retryAfterSeconds()));
        }
        return Response.of(
                failure.status(),
                headers.build(),
                content(failure.status(), failure.code(), failure.message(), form));
    }

    /**
     * @param allow the methods that there is a route for, if that is what matters; else empty
     */
    static Response of(Unserved unserved, String allow, ErrorForm form) {
        Headers.Builder headers = headers(unserved.code(), form);
        if (!allow.isEmpty()) {
            headers.add("allow", allow);
        }
        return Response.of(
                unserved.status(),
                headers.build(),
                content(unserved.status(), unserved.code(), unserved.message(), form));
    }

    /** The rule or limit that a response names, or null if it is none of these. */
    static @Nullable String codeOf(Response response) {
        return response.headers().first(ERROR);
    }

    private static Headers.Builder headers(String code, ErrorForm form) {
        String type = form.asProblem() ? "application/problem+json" : "text/plain; charset=utf-8";
        return new Headers.Builder()
                .add("content-type", type)
                .add("cache-control", "no-store")
                .add(ERROR, code);
    }

    private static Body content(int status, String code, String message, ErrorForm form) {
        if (!form.asProblem()) {
            return Body.utf8(message + "\n");
        }
        return Body.utf8(
                "{\"title\":"
                        + quoted(ReasonPhrases.of(status))
                        + ",\"status\":"
                        + status
                        + ",\"detail\":"
                        + quoted(message)
                        + ",\"code\":"
                        + quoted(code)
                        + "}\n");
    }

    /** A JSON string (RFC 8259 section 7): a failure's words come from whoever made it. */
    private static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}

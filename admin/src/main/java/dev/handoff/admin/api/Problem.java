package dev.handoff.admin.api;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.ReasonPhrases;
import dev.handoff.http.Response;
import dev.handoff.process.protocol.SafeText;
import jakarta.json.Json;
import jakarta.json.stream.JsonGenerator;
import java.io.StringWriter;

/**
 * Why a call is not answered as it wants, as RFC 9457 has it.
 *
 * @param code the rule, in snake_case, for programs
 * @param detail what happened and what to do, in a sentence, for people
 * @param headers those that belong to the status
 */
public record Problem(int status, String code, String detail, Headers headers) {
    /** As long as a value of a caller's may be in a detail. */
    private static final int MOST_QUOTED = 100;

    public Problem(int status, String code, String detail) {
        this(status, code, detail, Headers.EMPTY);
    }

    static Problem badRequest(String detail) {
        return new Problem(400, "bad_request", detail);
    }

    static Problem notFound(String detail) {
        return new Problem(404, "not_found", detail);
    }

    static Problem conflict(String detail) {
        return new Problem(409, "conflict", detail);
    }

    /** A value of the caller's, cut to what fits into a sentence, and safe to show. */
    static String quoted(String value) {
        boolean fits = value.length() <= MOST_QUOTED;
        return SafeText.of(fits ? value : value.substring(0, MOST_QUOTED) + "…");
    }

    public Response response() {
        Headers.Builder fields = new Headers.Builder();
        fields.add("content-type", "application/problem+json");
        for (int i = 0; i < headers.size(); i++) {
            fields.add(headers.name(i), headers.value(i));
        }
        return Response.of(status, fields.build(), Body.utf8(json()));
    }

    private String json() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonLibrary.PROVIDER.createGenerator(text)) {
            json.writeStartObject()
                    .write("type", "about:blank")
                    .write("title", ReasonPhrases.of(status))
                    .write("status", status)
                    .write("detail", detail)
                    .write("code", code)
                    .writeEnd();
        }
        return text.append('\n').toString();
    }
}

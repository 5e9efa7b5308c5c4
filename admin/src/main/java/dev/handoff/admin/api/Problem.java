package dev.handoff.admin.api;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Response;
import dev.handoff.process.protocol.SafeText;

/**
 * Why a call does not get what it wants, as a problem of RFC 9457.
 *
 * @param code the rule, in snake_case, for programs
 * @param detail what happened and what to do, in a sentence, for people
 * @param fieldName a header field that belongs to the status; empty for none
 */
public record Problem(int status, String code, String detail, String fieldName, String fieldValue) {
    private static final ErrorForm FORM = new ErrorForm(true, true);

    /** The longest part of a caller's value that a detail shows. */
    private static final int MOST_QUOTED = 100;

    public Problem(int status, String code, String detail) {
        this(status, code, detail, "", "");
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
        return new ErrorMessage(status, code, detail).response(FORM, fieldName, fieldValue);
    }
}

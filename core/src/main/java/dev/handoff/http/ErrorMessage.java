package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * An error that the server itself sends to a client. It names the rule or the limit.
 *
 * @param status 400 to 599
 * @param code the rule or the limit in snake_case: the value of the Handoff-Error field
 * @param message one sentence for people
 */
public record ErrorMessage(int status, String code, String message) {
    /** The field that tells why the server answered, and not the handler. */
    public static final String CODE_FIELD = "handoff-error";

    /** Adds the option that sets the limit, in brackets; "" for none. */
    public ErrorMessage naming(String option) {
        if (option.isEmpty()) {
            return this;
        }
        String sentence = message.substring(0, message.length() - 1);
        return new ErrorMessage(status, code, sentence + " (" + option + ").");
    }

    /**
     * The response with this error, as plain text or as a problem (RFC 9457). No cache may keep it,
     * since it is about one request, or about this moment.
     */
    public Response response(ErrorForm form) {
        return response(form, "", "");
    }

    /**
     * The same with one more field.
     *
     * @param fieldName empty for no field
     */
    public Response response(ErrorForm form, String fieldName, String fieldValue) {
        String type = form.asProblem() ? "application/problem+json" : "text/plain; charset=utf-8";
        Headers.Builder headers =
                new Headers.Builder()
                        .add("content-type", type)
                        .add("cache-control", "no-store")
                        .add(CODE_FIELD, code);
        if (!fieldName.isEmpty()) {
            headers.add(fieldName, fieldValue);
        }
        String content = form.asProblem() ? problem() : message;
        return Response.of(status, headers.build(), Body.utf8(content + "\n"));
    }

    /** The code in a response; null if the response is not an error of the server's. */
    public static @Nullable String codeOf(Response response) {
        return response.headers().first(CODE_FIELD);
    }

    private String problem() {
        return "{\"title\":"
                + quoted(ReasonPhrases.of(status))
                + ",\"status\":"
                + status
                + ",\"detail\":"
                + quoted(message)
                + ",\"code\":"
                + quoted(code)
                + "}";
    }

    /** A JSON string (RFC 8259 section 7): the message may have any character. */
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

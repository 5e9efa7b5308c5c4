package dev.handoff.server;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Response;

/**
 * Why a good request gets no response from its handler: the fault is on the server's side.
 *
 * @param status 500 to 599
 * @param code the limit or the rule in snake_case: the value of the Handoff-Error field
 * @param message one sentence for the client
 * @param retryAfterSeconds the value of Retry-After; 0 for no such field
 */
public record Failure(int status, String code, String message, int retryAfterSeconds) {
    static final Failure HANDLER_FAILED =
            new Failure(500, "handler_failed", "The handler failed.", 0);

    /** For a response that broke a rule. */
    public static final Failure BAD_RESPONSE =
            new Failure(502, "bad_response", "The handler's response is not valid HTTP.", 0);

    static final Failure DEADLINE =
            new Failure(504, "deadline", "The handler did not answer in time.", 0);

    static final Failure BUFFERS_FULL =
            new Failure(
                    503,
                    "buffers_full",
                    "Requests fill all the memory that they may take; try again later.",
                    1);

    static final Failure SPOOL_FULL =
            new Failure(
                    503,
                    "spool_full",
                    "Large requests fill all the space that they may take; try again later.",
                    1);

    static final Failure REQUEST_EVICTED =
            new Failure(
                    503,
                    "request_evicted",
                    "Others need the memory or the connection of this request, which came too slowly.",
                    1);

    /**
     * @throws IllegalArgumentException if the status is not 5xx
     */
    public Failure {
        if (status < 500 || status > 599) {
            throw new IllegalArgumentException("a failure's status is 5xx, not " + status);
        }
    }

    Response response(ErrorForm form) {
        ErrorMessage error = new ErrorMessage(status, code, message);
        return retryAfterSeconds > 0
                ? error.response(form, "retry-after", Integer.toString(retryAfterSeconds))
                : error.response(form);
    }
}

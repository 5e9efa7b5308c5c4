package dev.handoff.server;

/** Why a good request is handed to no handler. */
enum Unserved {
    NO_ROUTE(404, "no_route", "Nothing is served here."),
    METHOD_NOT_ALLOWED(405, "method_not_allowed", "Other methods are served here, not this one."),
    AMBIGUOUS_PATH(
            400, "ambiguous_path", "The path can be read in several ways, which are not the same."),
    CLIENT_LIMIT(429, "client_limit", "This client has as many requests in hand as it may.");

    private final int status;
    private final String code;
    private final String message;

    Unserved(int status, String code, String message) {
        this.status = status;
        this.code = code;
        this.message = message;
    }

    int status() {
        return status;
    }

    /** The value of the Handoff-Error field. */
    String code() {
        return code;
    }

    /** One sentence for the client. */
    String message() {
        return message;
    }
}

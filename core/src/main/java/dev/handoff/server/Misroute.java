package dev.handoff.server;

/** Why a router hands a good request to nobody. */
enum Misroute {
    NO_ROUTE(404, "no_route", "Nothing is served here."),
    METHOD_NOT_ALLOWED(405, "method_not_allowed", "Other methods are served here, not this one."),
    AMBIGUOUS_PATH(
            400, "ambiguous_path", "The path can be read in several ways, which are not the same.");

    private final int status;
    private final String code;
    private final String message;

    Misroute(int status, String code, String message) {
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

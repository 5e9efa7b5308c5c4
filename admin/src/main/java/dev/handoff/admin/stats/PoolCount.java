package dev.handoff.admin.stats;

/**
 * A number that a pool counts. It is defined here alone: {@code /stats} and {@code /metrics} show
 * every constant under its names.
 *
 * <p>{@link #DISPATCHED} is the sum of those that became a response, a late response, were given
 * back or lost, and those in flight.
 */
public enum PoolCount {
    DISPATCHED(
            "dispatched",
            "handoff_dispatched_requests",
            "Requests that were handed to a worker; one that is handed over again counts again."),
    RESPONSES("responses", "", "Dispatched requests that a worker answered in time."),
    LATE_RESPONSES(
            "lateResponses",
            "handoff_late_responses",
            "Responses of workers to requests that had been cancelled."),
    GIVEN_BACK(
            "givenBack",
            "handoff_given_back_requests",
            "Dispatched requests that a worker gave back."),
    LOST("lost", "handoff_lost_requests", "Dispatched requests that were lost with their worker."),
    FAILURES(
            "failures",
            "handoff_handler_failures",
            "Responses of workers that say that the handler failed."),
    UNKNOWN_RESPONSES(
            "unknownResponses",
            "handoff_unknown_responses",
            "Responses of workers with an id that is unknown or was answered already."),
    TURNED_AWAY(
            "",
            "handoff_workers_turned_away",
            "Connections to the worker socket that were turned away.");

    private final String key;
    private final String metric;
    private final String help;

    PoolCount(String key, String metric, String help) {
        this.key = key;
        this.metric = metric;
        this.help = help;
    }

    /** Its key in a pool's {@code requests} of {@code /stats}; empty if it is not there. */
    String key() {
        return key;
    }

    /** The name of its metric, without {@code _total}; empty for none. */
    public String metric() {
        return metric;
    }

    /** What it counts, in a sentence. */
    public String help() {
        return help;
    }
}

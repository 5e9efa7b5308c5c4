package dev.handoff.launcher.check;

/** What not every worker offers. */
enum Need {
    ECHO("no --echo PATH"),
    STREAM("no --stream PATH"),
    WEBSOCKET("no --websocket PATH"),
    STREAMS("the worker does not name the feature streams"),
    WEBSOCKETS("the worker does not name the feature websockets"),
    FRAGMENTS("the worker does not name the feature fragments"),
    COMES_AGAIN(
            "the worker exits when its connection ends, and leaves it to others to start it again");

    /** Whether only the hello of the worker tells. */
    boolean isFeature() {
        return this == STREAMS || this == WEBSOCKETS || this == FRAGMENTS;
    }

    private final String absence;

    Need(String absence) {
        this.absence = absence;
    }

    /** Why a case that needs it is skipped. */
    String absence() {
        return absence;
    }
}

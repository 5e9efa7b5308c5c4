package dev.handoff.admin.api;

/** Hears of calls to the admin server, on its loop. */
public interface CallListener {
    /**
     * A call was not let in.
     *
     * @param client address and port
     */
    default void onCallRefused(CallRefusal reason, String client) {}
}

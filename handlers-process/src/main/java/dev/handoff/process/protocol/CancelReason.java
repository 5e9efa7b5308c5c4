package dev.handoff.process.protocol;

import org.jspecify.annotations.Nullable;

/** Why the core no longer wants a response. */
public enum CancelReason {
    CLIENT_GONE("client_gone"),
    DEADLINE("deadline"),
    DRAIN("drain"),
    /** Pieces came without credit. */
    SLOW_CLIENT("slow_client"),
    /** The worker broke a rule. */
    BAD_RESPONSE("bad_response"),
    /** The client has all that it may get, as after HEAD. */
    NO_CONTENT("no_content");

    private final String wireName;

    CancelReason(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }

    static @Nullable CancelReason ofWireName(String name) {
        for (CancelReason reason : values()) {
            if (reason.wireName.equals(name)) {
                return reason;
            }
        }
        return null;
    }
}

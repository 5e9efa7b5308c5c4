package dev.handoff.admin.api;

import java.util.Collections;
import java.util.EnumMap;
import java.util.SortedMap;
import java.util.TreeMap;

/** Counts the calls that were not let in, and reports each. On the admin server's loop. */
public final class RefusedCalls {
    private final EnumMap<CallRefusal, Long> counts = new EnumMap<>(CallRefusal.class);
    private final CallListener listener;

    public RefusedCalls(CallListener listener) {
        this.listener = listener;
        for (CallRefusal reason : CallRefusal.values()) {
            counts.put(reason, 0L);
        }
    }

    void add(CallRefusal reason, String client) {
        counts.merge(reason, 1L, Long::sum);
        listener.onCallRefused(reason, client);
    }

    /** Since the start; every reason is there. */
    public SortedMap<CallRefusal, Long> counts() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }
}

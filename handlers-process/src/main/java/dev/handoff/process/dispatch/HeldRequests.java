package dev.handoff.process.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests that one worker holds, each under the id that it was handed over with. Ids count up
 * from 1 on each connection. Belongs to the thread of the pool's loop.
 */
final class HeldRequests {
    private final Map<Long, PoolRequest> byId = new HashMap<>();
    private long lastId;

    /** The id for the next request. */
    long nextId() {
        return ++lastId;
    }

    void add(PoolRequest request) {
        byId.put(request.id, request);
    }

    /** Whether there was ever a request of that id. */
    boolean wasHanded(long id) {
        return id >= 1 && id <= lastId;
    }

    @Nullable PoolRequest find(long id) {
        return byId.get(id);
    }

    /** Takes the request of that id out; null if there is none. */
    @Nullable PoolRequest take(long id) {
        return byId.remove(id);
    }

    int size() {
        return byId.size();
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    /** Whether a client waits for the response with that id. */
    boolean isWanted(long id) {
        PoolRequest request = byId.get(id);
        return request != null && request.state == PoolRequest.State.IN_FLIGHT;
    }

    /** How many of them a client waits for. */
    long wantedCount() {
        return byId.keySet().stream().filter(this::isWanted).count();
    }

    /** The age of the oldest of them; 0 if there is none. */
    long oldestNanos(long nowNanos) {
        long oldest = 0;
        for (PoolRequest request : byId.values()) {
            oldest = Math.max(oldest, nowNanos - request.arrivedNanos);
        }
        return oldest;
    }

    /** All of them, cancelled ones included, in no order. */
    Collection<PoolRequest> all() {
        return Collections.unmodifiableCollection(byId.values());
    }

    /** Takes all of them out, in the order in which they were handed over. */
    List<PoolRequest> takeAll() {
        List<PoolRequest> held = new ArrayList<>(byId.values());
        held.sort(Comparator.comparingLong(request -> request.id));
        byId.clear();
        return held;
    }
}

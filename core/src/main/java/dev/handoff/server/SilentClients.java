package dev.handoff.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one loop that keep it waiting. Those that are owed nothing and have to send
 * something, a request or the rest of one, are in one list; in another those that have to take what
 * they are sent. They stand in the order in which their silence began; it begins anew when a good
 * part of a body came. The list runs through their {@link Place places}, so that coming and going
 * costs a few writes.
 *
 * <p>Belongs to the loop's thread, but for {@link #longestSinceNanos}.
 */
final class SilentClients {
    /** What {@link #longestSinceNanos} says when none is silent. */
    static final long NONE = Long.MIN_VALUE;

    /** Closes the list to a ring: it stands before the first place and behind the last. */
    private final Place ends = new Place(null);

    private final AtomicLong longestSinceNanos = new AtomicLong(NONE);

    /** Somebody who can lose the connection. */
    interface Client {
        /** Gives the connection's place to another one. */
        void evict();
    }

    /**
     * Where one client stands in the list while it is silent. Otherwise it is linked to itself
     * alone.
     */
    static final class Place {
        private final @Nullable Client client;
        private long sinceNanos;
        private Place before = this;
        private Place after = this;

        Place(@Nullable Client client) {
            this.client = client;
        }

        boolean isSilent() {
            return after != this;
        }
    }

    /** Puts a client behind all others, wherever it was. */
    void enter(Place place, long nowNanos) {
        leave(place);
        place.sinceNanos = nowNanos;
        place.before = ends.before;
        place.after = ends;
        place.before.after = place;
        ends.before = place;
        if (ends.after == place) {
            publish();
        }
    }

    /** Takes a client out, if it is in. */
    void leave(Place place) {
        boolean first = ends.after == place;
        place.before.after = place.after;
        place.after.before = place.before;
        place.before = place;
        place.after = place;
        if (first) {
            publish();
        }
    }

    /**
     * The clients that have been silent for longest.
     *
     * @param most how many at most
     * @param sinceNanos by when they have been
     */
    List<Client> longest(int most, long sinceNanos) {
        List<Client> longest = new ArrayList<>();
        for (Place place = ends.after;
                place.client != null && longest.size() < most && place.sinceNanos - sinceNanos <= 0;
                place = place.after) {
            longest.add(place.client);
        }
        return longest;
    }

    /** From any thread: when that silence began, in the time of its loop; or {@link #NONE}. */
    long longestSinceNanos() {
        return longestSinceNanos.getAcquire();
    }

    private void publish() {
        longestSinceNanos.setRelease(ends.after == ends ? NONE : ends.after.sinceNanos);
    }
}

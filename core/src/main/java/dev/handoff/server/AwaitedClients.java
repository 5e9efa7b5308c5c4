package dev.handoff.server;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one loop that wait for their clients, and owe them nothing: no request has
 * begun, or one that has begun is not whole. They stand in the order in which the wait began, or a
 * good part of a body came, in a list that runs through their {@link Place places}, so that coming
 * and going costs a few writes.
 *
 * <p>Belongs to the loop's thread, but for {@link #longestSinceNanos}.
 */
final class AwaitedClients {
    /** What {@link #longestSinceNanos} says when none waits. */
    static final long NONE = Long.MIN_VALUE;

    /** Before the first and behind the last. */
    private final Place ends = new Place(null);

    private final AtomicLong longestSinceNanos = new AtomicLong(NONE);

    /** Where one connection stands while it waits; else between itself and itself. */
    static final class Place {
        private final @Nullable Connection connection;
        private long sinceNanos;
        private Place before = this;
        private Place after = this;

        Place(@Nullable Connection connection) {
            this.connection = connection;
        }
    }

    /** Puts a connection behind all others, wherever it was. */
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

    /** Takes a connection out, if it is in. */
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

    /** The one that has waited longest, or null if none waits. */
    @Nullable Connection longest() {
        return ends.after.connection;
    }

    /** From any thread: when that wait began, in the time of its loop; or {@link #NONE}. */
    long longestSinceNanos() {
        return longestSinceNanos.getAcquire();
    }

    private void publish() {
        longestSinceNanos.setRelease(ends.after == ends ? NONE : ends.after.sinceNanos);
    }
}

package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.MovingDeadline;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Watches the time that handlers have for the requests of one connection. Belongs to the loop's
 * thread.
 */
final class RequestDeadlines {
    /** The pipeline that the requests stand in. */
    interface Owner {
        /** The handler has given no response in time. */
        void answerLate(PendingExchange exchange);
    }

    private final EventLoop loop;
    private final Collection<PendingExchange> exchanges;
    private final ConnectionStreams streams;
    private final Owner owner;
    private final MovingDeadline deadline;

    /**
     * @param exchanges those that are not answered, as they come and go
     * @param whenLate runs when one of them is late; calls {@link #expire}
     */
    RequestDeadlines(
            EventLoop loop,
            Collection<PendingExchange> exchanges,
            ConnectionStreams streams,
            Owner owner,
            Runnable whenLate) {
        this.loop = loop;
        this.exchanges = exchanges;
        this.streams = streams;
        this.owner = owner;
        this.deadline = new MovingDeadline(loop, whenLate);
    }

    /** Call it whenever a request was taken, answered or given another deadline. */
    void update() {
        PendingExchange mostUrgent = mostUrgent();
        if (mostUrgent == null) {
            deadline.clear();
        } else {
            deadline.set(mostUrgent.deadlineNanos());
        }
    }

    /**
     * Tells of all requests that are late, and breaks off responses of which nothing more comes.
     *
     * @param contentIsDue whether it is the client that keeps the last of them waiting
     */
    void expire(boolean contentIsDue) {
        for (PendingExchange exchange : exchanges) {
            if (exchange.awaitsHandler() && exchange.deadlineNanos() - loop.nanoTime() <= 0) {
                StreamedResponse stream = exchange.stream();
                if (stream == null && contentIsDue && exchange.contentArrives()) {
                    exchange.restartDeadline();
                } else if (stream == null) {
                    owner.answerLate(exchange);
                } else {
                    streams.expire(exchange, stream);
                }
            }
        }
    }

    void cancel() {
        deadline.cancel();
    }

    /** The exchange whose handler is due first; null if nothing more has to come of any. */
    private @Nullable PendingExchange mostUrgent() {
        PendingExchange mostUrgent = null;
        for (PendingExchange exchange : exchanges) {
            if (exchange.awaitsHandler()
                    && (mostUrgent == null
                            || exchange.deadlineNanos() - mostUrgent.deadlineNanos() < 0)) {
                mostUrgent = exchange;
            }
        }
        return mostUrgent;
    }
}

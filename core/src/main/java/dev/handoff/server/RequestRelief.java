package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Makes room when requests take all that they may of a loop's {@link BufferBudget}, and another one
 * comes. It closes WebSockets as far as what their clients sent takes more than its part, and then
 * ends those that come slowly, or wait behind another of the same client; first the one that holds
 * most for longest. Belongs to the loop's thread.
 */
final class RequestRelief {
    /** A client that takes longer for 64 KiB, or waits for longer, may lose its place to others. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * After a look in which too few clients were slow, all connections are looked at again only
     * this much later.
     */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final EventLoop loop;
    private final BufferBudget budget;
    private final Collection<Connection> connections;
    private long nextLookNanos;

    /**
     * @param budget the loop's
     * @param connections all that live on the loop, as they come and go
     */
    RequestRelief(EventLoop loop, BufferBudget budget, Collection<Connection> connections) {
        this.loop = loop;
        this.budget = budget;
        this.connections = connections;
        this.nextLookNanos = loop.nanoTime();
    }

    /**
     * Makes room for a request that finds none. It ends requests that come slowly, which may be
     * that one itself. It frees more than is needed, so that not each request that comes looks at
     * all connections.
     */
    void makeRoomFor(Connection crowded) {
        if (!crowded.buffers().areOfWebSocket()) {
            closeWebSockets(crowded);
        }
        if (!isRelieved(crowded)) {
            endSlowOnes(crowded);
        }
    }

    private void closeWebSockets(Connection crowded) {
        if (!budget.doIncomingMessagesTakeMuch()) {
            return;
        }
        closeWebSockets(crowded, heaviest(each -> each.buffers().holdLargeMessages()));
        if (budget.doIncomingMessagesTakeMuch() && !isRelieved(crowded)) {
            // So many that little of each is much.
            closeWebSockets(crowded, largest(each -> each.buffers().holdMessages()));
        }
    }

    private void closeWebSockets(Connection crowded, List<Connection> inTurn) {
        for (Connection next : inTurn) {
            if (budget.doIncomingMessagesTakeLittle() || isRelieved(crowded)) {
                return;
            }
            next.guarded(next::evictRequest);
        }
    }

    private void endSlowOnes(Connection crowded) {
        if (loop.nanoTime() - nextLookNanos < 0) {
            return;
        }
        for (Connection slow : heaviest(RequestRelief::isSlow)) {
            if (isRelieved(crowded)) {
                return;
            }
            slow.guarded(slow::evictRequest);
        }
        nextLookNanos = loop.nanoTime() + PAUSE_NANOS;
    }

    private static boolean isRelieved(Connection crowded) {
        return !crowded.wantsRoom() || crowded.buffers().haveRoomToSpare();
    }

    private static boolean isSlow(Connection connection) {
        return connection.buffers().readNanos() >= SLOW_NANOS;
    }

    private List<Connection> heaviest(Predicate<Connection> mayGo) {
        return HeaviestFirst.of(connections.stream().filter(mayGo).toList(), RequestRelief::burden);
    }

    private List<Connection> largest(Predicate<Connection> mayGo) {
        return HeaviestFirst.of(
                connections.stream().filter(mayGo).toList(), each -> each.buffers().readBytes());
    }

    private static double burden(Connection connection) {
        ConnectionBuffers buffers = connection.buffers();
        return (double) buffers.readBytes() * buffers.readNanos();
    }
}

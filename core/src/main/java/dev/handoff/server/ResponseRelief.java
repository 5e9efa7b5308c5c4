package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Makes room when the responses that clients do not take fill their half of a loop's {@link
 * BufferBudget}. It closes the connections that hold most for longest. What clients were not
 * offered in an earlier turn stays, unless that takes half as much again. Belongs to the loop's
 * thread.
 */
final class ResponseRelief {
    /**
     * How long it waits before it looks, so that sockets take what they can. One large response may
     * fill the half alone; then all connections are looked at only this often.
     */
    private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final EventLoop loop;
    private final BufferBudget budget;
    private final Collection<Connection> connections;
    private boolean awaited;

    /**
     * @param connections all that live on the loop, as they come and go
     */
    ResponseRelief(EventLoop loop, BufferBudget budget, Collection<Connection> connections) {
        this.loop = loop;
        this.budget = budget;
        this.connections = connections;
    }

    /** To be called when responses take too much. */
    void relieveSoon() {
        if (!awaited) {
            awaited = true;
            loop.scheduleAfter(DELAY_NANOS, this::relieve);
        }
    }

    private void relieve() {
        awaited = false;
        List<Connection> stuck = new ArrayList<>();
        List<Connection> justCome = new ArrayList<>();
        for (Connection connection : connections) {
            connection.buffers().recount();
            if (connection.buffers().responseBytes() > 0) {
                (hasJustCome(connection) ? justCome : stuck).add(connection);
            }
        }
        List<Connection> holders = new ArrayList<>();
        holders.addAll(HeaviestFirst.of(stuck, ResponseRelief::burden));
        holders.addAll(HeaviestFirst.of(justCome, ResponseRelief::burden));
        Singles singles = new Singles(holders);
        for (Connection connection : holders) {
            long spareBytes =
                    singles.largestBytes()
                            + (hasJustCome(connection) ? budget.mostNewResponseBytes() : 0);
            if (!budget.areResponsesFullWithout(spareBytes)) {
                break;
            }
            connection.close(ConnectionEnd.BUFFERS_FULL);
        }
        if (budget.areResponsesFull()) {
            relieveSoon();
        }
    }

    /** Whether its client was not offered yet what it holds, or in this turn only. */
    private static boolean hasJustCome(Connection connection) {
        return connection.buffers().stuckNanos() == 0;
    }

    /**
     * What a connection holds, times how long its client has not taken it. A client that reads well
     * holds much, too, when a large response begins; but not for long. Nobody is taken to have held
     * it for less than the time between two looks: a few bytes that wait for longer than much which
     * has just come are not the burden.
     */
    static double burden(Connection connection) {
        ConnectionBuffers buffers = connection.buffers();
        return burdenOf(buffers.responseBytes(), buffers.stuckNanos());
    }

    static double burdenOf(long bytes, long stuckNanos) {
        return (double) bytes * (stuckNanos + DELAY_NANOS);
    }

    /** The connections that hold one response and no other, the largest first. */
    private static final class Singles {
        private final List<Connection> connections = new ArrayList<>();
        private int next;

        Singles(List<Connection> holders) {
            for (Connection connection : holders) {
                if (connection.buffers().holdOneResponse()) {
                    connections.add(connection);
                }
            }
            connections.sort(Comparator.comparingLong(Singles::bytes).reversed());
        }

        /**
         * The size of the largest of these responses; those whose connections were closed are gone.
         */
        long largestBytes() {
            while (next < connections.size() && bytes(connections.get(next)) == 0) {
                next++;
            }
            return next < connections.size() ? bytes(connections.get(next)) : 0;
        }

        private static long bytes(Connection connection) {
            return connection.buffers().responseBytes();
        }
    }
}

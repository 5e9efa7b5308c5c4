package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Makes room when large requests nearly fill the {@link Spool}. It ends those that come slowly. It
 * also takes the files of those whose handlers respond without reading them. The ones that hold
 * most for longest go first. So it costs a client something to keep others out. Belongs to the
 * loop's thread.
 */
final class SpoolRelief {
    /** A client that takes longer for 64 KiB may lose its place to others. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final Collection<Connection> connections;
    private final Spool spool;

    /**
     * @param connections all that live on the loop, as they come and go
     */
    SpoolRelief(EventLoop loop, Collection<Connection> connections, Spool spool) {
        this.loop = loop;
        this.connections = connections;
        this.spool = spool;
    }

    /** From now on it helps the spool. */
    void listen() {
        spool.whenNearlyFull(() -> loop.tryExecute(this::relieve));
    }

    private void relieve() {
        long bytes = spool.excessBytes();
        long files = spool.excessFiles();
        for (Connection slow : slowestFirst()) {
            if (bytes <= 0 && files <= 0) {
                return;
            }
            bytes -= slow.spool().bytes();
            files--;
            slow.guarded(slow.spool()::giveUp);
        }
    }

    private List<Connection> slowestFirst() {
        List<Connection> slow = new ArrayList<>();
        for (Connection connection : connections) {
            if (connection.spool().bytes() > 0 && connection.spool().nanos() >= SLOW_NANOS) {
                slow.add(connection);
            }
        }
        return HeaviestFirst.of(slow, SpoolRelief::burden);
    }

    private static double burden(Connection connection) {
        return (double) connection.spool().bytes() * connection.spool().nanos();
    }
}

package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Makes room when large requests nearly fill the {@link Spool}: ends those that come slowly, the
 * one that holds most for longest at each call. So it costs a client something to keep others out.
 * Belongs to the loop's thread.
 */
final class SpoolRelief {
    /** A client that takes longer for 64 KiB may lose its place to others. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final Collection<Connection> connections;

    /**
     * @param connections all that live on the loop, as they come and go
     */
    SpoolRelief(EventLoop loop, Collection<Connection> connections) {
        this.loop = loop;
        this.connections = connections;
    }

    /** From now on it helps the spool. */
    void listen(Spool spool) {
        spool.whenNearlyFull(() -> loop.tryExecute(this::relieve));
    }

    private void relieve() {
        Optional<Connection> slowest =
                connections.stream()
                        .filter(each -> each.spooledBytes() > 0)
                        .filter(each -> each.buffers().readNanos() >= SLOW_NANOS)
                        .max(Comparator.comparingDouble(SpoolRelief::burden));
        slowest.ifPresent(connection -> connection.guarded(connection::refuseForWantOfSpace));
    }

    private static double burden(Connection connection) {
        return (double) connection.spooledBytes() * connection.buffers().readNanos();
    }
}

package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Makes room in the {@link ResponseRoom} when responses that come wait for it. It closes
 * connections whose clients do not take their responses; first the one that holds most for longest.
 * WebSockets go before others while their messages take more than their share, and stay while that
 * would leave responses no more room. {@link MessageRelief} makes room for messages. Belongs to the
 * loop's thread.
 */
final class ClaimRelief {
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** While responses wait, a client that takes less than 64 KiB in this time is closed. */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * If all clients are faster than that, one is closed each time that no claim was granted for
     * this long.
     */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final EventLoop loop;
    private final ResponseRoom room;
    private final BufferBudget budget;
    private final Collection<Connection> connections;
    private final ClaimWatch watch;

    /**
     * @param budget the loop's. A loop whose clients hold no more than their share closes none
     * @param connections all that live on the loop, as they come and go
     */
    ClaimRelief(
            EventLoop loop,
            ResponseRoom room,
            BufferBudget budget,
            Collection<Connection> connections) {
        this.loop = loop;
        this.room = room;
        this.budget = budget;
        this.connections = connections;
        this.watch = new ClaimWatch(loop, room::isWanted, room::grants, LOOK_NANOS, this::relieve);
    }

    /** From now on it acts whenever responses wait. */
    void listen() {
        room.onWanted(() -> loop.tryExecute(() -> watch.begin(LOOK_NANOS)));
    }

    private void relieve() {
        connections.forEach(connection -> connection.buffers().recount());
        budget.tellResponses();
        closeSome();
    }

    private void closeSome() {
        boolean webSocketsFirst = room.doMessagesTakeTooMuch();
        for (Connection heaviest : heaviestFirst(webSocketsFirst)) {
            if (room.missingBytes() <= 0 || !budget.doResponsesTakeMuch()) {
                return;
            }
            if (webSocketsFirst && !room.doMessagesTakeTooMuch()) {
                closeSome();
                return;
            }
            if (mayGo(heaviest)) {
                watch.helped();
                heaviest.close(ConnectionEnd.BUFFERS_FULL);
                budget.tellResponses();
            }
        }
    }

    private List<Connection> heaviestFirst(boolean webSocketsFirst) {
        List<Connection> all =
                HeaviestFirst.of(
                        connections.stream().filter(this::mayGo).toList(), ResponseRelief::burden);
        if (!webSocketsFirst) {
            return all;
        }
        return Stream.concat(
                        all.stream().filter(each -> each.buffers().areOfWebSocket()),
                        all.stream().filter(each -> !each.buffers().areOfWebSocket()))
                .toList();
    }

    private boolean mayGo(Connection connection) {
        ConnectionBuffers buffers = connection.buffers();
        boolean makesRoom = !buffers.areOfWebSocket() || room.doMessagesTakeOfCommonPart();
        return makesRoom
                && buffers.responseBytes() > 0
                && (buffers.stuckNanos() >= STUCK_NANOS
                        || watch.standstillNanos() >= PATIENCE_NANOS);
    }
}

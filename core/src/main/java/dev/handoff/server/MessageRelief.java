package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Makes room in the {@link ResponseRoom} when messages for WebSockets wait for it. It closes
 * WebSockets whose clients take nothing; first the one that holds most for longest. Belongs to the
 * loop's thread.
 *
 * <p>A message that waits holds up all that its worker sends behind it. So this is quicker than
 * {@link ClaimRelief}, and makes a little more room than the next message needs.
 */
final class MessageRelief {
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** While messages wait, a client that takes less than 64 KiB in this time is closed. */
    static final long STUCK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * If all clients are faster than that, one is closed each time that no message was granted room
     * for this long: before the message is given up, with its own client.
     */
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final EventLoop loop;
    private final ResponseRoom room;
    private final BufferBudget budget;
    private final Collection<Connection> connections;
    private final ClaimWatch watch;

    /**
     * @param budget the loop's. A loop whose WebSockets hold no more than their share closes none
     * @param connections all that live on the loop, as they come and go
     */
    MessageRelief(
            EventLoop loop,
            ResponseRoom room,
            BufferBudget budget,
            Collection<Connection> connections) {
        this.loop = loop;
        this.room = room;
        this.budget = budget;
        this.connections = connections;
        this.watch =
                new ClaimWatch(
                        loop,
                        room::isWantedForMessages,
                        room::messageGrants,
                        LOOK_NANOS,
                        this::relieve);
    }

    /** From now on it acts whenever messages wait. */
    void listen() {
        room.onWanted(() -> {
            if (room.isWantedForMessages()) {
                loop.tryExecute(() -> watch.begin(0));
            }
        });
    }

    private void relieve() {
        List<Connection> holders = new ArrayList<>();
        for (Connection connection : connections) {
            connection.buffers().recount();
            if (connection.buffers().areOfWebSocket() && connection.buffers().responseBytes() > 0) {
                holders.add(connection);
            }
        }
        budget.tellResponses();
        long missingBytes = room.missingForMessagesBytes();
        if (missingBytes == 0) {
            return;
        }
        long goneBytes = 0;
        for (Connection connection : HeaviestFirst.of(holders, ResponseRelief::burden)) {
            if (goneBytes >= missingBytes + room.messagePartBytes() / 2
                    || !budget.doMessagesTakeMuch()
                    || !mayGo(connection, goneBytes < missingBytes)) {
                break;
            }
            goneBytes += connection.buffers().responseBytes();
            watch.helped();
            connection.close(ConnectionEnd.BUFFERS_FULL);
        }
        budget.tellResponses();
    }

    private boolean mayGo(Connection connection, boolean isNeeded) {
        return connection.buffers().stuckNanos() >= STUCK_NANOS
                || (isNeeded && watch.standstillNanos() >= PATIENCE_NANOS);
    }
}

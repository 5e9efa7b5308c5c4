package dev.handoff.process.supervise;

import dev.handoff.loop.Connector;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tries to connect to a server until it takes connections, at first often. Belongs to the loop's
 * thread.
 */
final class Dialer implements Connector.Owner {
    /** Who wants to know. */
    interface Owner {
        /** The server takes connections. The dialer does no more. */
        void reached(SocketAddress server);

        /** It took none; it is tried again. */
        default void missed(IOException why) {}
    }

    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(10).toNanos();

    private final EventLoop loop;
    private final List<SocketAddress> addresses;
    private final long mostPauseNanos;
    private final Owner owner;

    /** The address that is tried next. */
    private int turn;

    private long pauseNanos = FIRST_PAUSE_NANOS;
    private @Nullable Connector connector;
    private @Nullable Timer pause;

    /**
     * Begins to try.
     *
     * @param addresses of the server, each of which is tried in turn
     * @param mostPause between two tries
     */
    Dialer(EventLoop loop, List<SocketAddress> addresses, Duration mostPause, Owner owner) {
        this.loop = loop;
        this.addresses = List.copyOf(addresses);
        this.mostPauseNanos = mostPause.toNanos();
        this.owner = owner;
        dial();
    }

    /** Gives up. The owner hears nothing more. */
    void cancel() {
        if (connector != null) {
            connector.cancel();
        }
        if (pause != null) {
            pause.cancel();
        }
    }

    /** Goes on, since what was reached was not who was meant. */
    void goOn() {
        pauseAndDial();
    }

    private void dial() {
        pause = null;
        connector = new Connector(loop, addresses.get(turn), TIMEOUT, this);
    }

    @Override
    public void connected(SocketChannel channel) {
        connector = null;
        try {
            channel.close();
        } catch (IOException ignored) {
            // It was only to see whether somebody is there.
        }
        owner.reached(addresses.get(turn));
    }

    @Override
    public void failed(IOException why) {
        connector = null;
        owner.missed(why);
        turn = (turn + 1) % addresses.size();
        if (turn == 0) {
            pauseAndDial();
        } else {
            dial();
        }
    }

    private void pauseAndDial() {
        pause = loop.scheduleAfter(pauseNanos, this::dial);
        pauseNanos = Math.min(mostPauseNanos, pauseNanos + pauseNanos / 2);
    }
}

package dev.handoff.server;

import dev.handoff.loop.Acceptor;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.ClientAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets connections in, and gives each to the loop that has the fewest, where other work of a loop
 * counts as so many connections more. When as many are open as may be, the client that has been
 * silent for longest, on whichever loop, makes room for the next, or else who has taken nothing of
 * a response for longest; while nobody has been so for long enough, newcomers wait in the kernel.
 *
 * <p>Belongs to the acceptor's loop, which is the first, but for {@link #connectionClosed} and
 * {@link #connections}.
 */
final class ConnectionAdmission {
    /**
     * A connection that was used just now is not taken for idle: its client may have sent the next
     * request already, which would be lost.
     */
    private static final long LEAST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Who takes a response keeps its place, but not who has taken nothing for so long. What the
     * kernel holds for a slow client may last for seconds, in which nothing is seen of it.
     */
    private static final long LEAST_STALL_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How long until the next look for a client that has been silent for so long. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So many go at most at one look: each takes its loop some time. */
    private static final int MOST_EVICTED = 500;

    private final EventLoop loop;
    private final List<ServerLoop> serverLoops;
    private final boolean evictsForNewcomers;
    private final ServerListener listener;
    private final @Nullable ClientLimit clientLimit;
    private final ToIntFunction<EventLoop> otherWork;

    /** Written on the acceptor's loop. */
    private volatile int connectionLimit;

    private List<Listening> places = List.of();

    /** One for each place that is open; none before the begin and after the end. */
    private List<Acceptor> acceptors = List.of();

    /** Whether newcomers are left in the kernel for want of room. */
    private volatile boolean full;

    /** Whether the listener was told so. It is not told while others make room. */
    private boolean toldFull;

    private boolean retrying;

    /** The place that had its turn when there was room last. */
    private int turn;

    /**
     * @param serverLoops all loops; the first one accepts
     */
    ConnectionAdmission(
            ServerOptions options,
            List<ServerLoop> serverLoops,
            @Nullable ClientLimit clientLimit) {
        this.loop = serverLoops.getFirst().loop();
        this.serverLoops = serverLoops;
        this.connectionLimit = options.limits.connections();
        this.evictsForNewcomers = options.evictsForNewcomers;
        this.listener = options.listener;
        this.clientLimit = clientLimit;
        this.otherWork = options.otherWork;
    }

    void begin(List<Listening> listening) throws IOException {
        places = listening;
        acceptors = new ArrayList<>();
        for (Listening each : listening) {
            CompletableFuture<?> opening = each.opening().toCompletableFuture();
            if (opening.isDone()) {
                open(each);
            } else {
                var _ = opening.thenRun(() -> loop.tryExecute(() -> openLate(each)));
            }
        }
    }

    private void open(Listening place) throws IOException {
        Acceptor.Receiver receiver = new Entrance(place);
        acceptors.add(
                place.isBorrowed()
                        ? Acceptor.borrowing(loop, place.channel(), receiver)
                        : new Acceptor(loop, place.channel(), receiver));
    }

    private void openLate(Listening place) {
        if (!places.contains(place)) {
            return;
        }
        try {
            open(place);
        } catch (IOException failure) {
            listener.onAcceptFailed(failure);
        }
    }

    /** From now on so many may be open. */
    void limit(int most) {
        connectionLimit = most;
        if (connections() > most) {
            waitForRoom();
        } else {
            resumeBelowLimit();
        }
    }

    /** What comes at one place: all places share the room. */
    private final class Entrance implements Acceptor.Receiver {
        private final Listening place;

        Entrance(Listening place) {
            this.place = place;
        }

        @Override
        public boolean hasRoom() {
            return evictsForNewcomers || connections() < connectionLimit;
        }

        @Override
        public void onWaiting() {
            waitForRoom();
        }

        @Override
        public void accepted(SocketChannel channel) {
            admit(channel, place);
        }
    }

    /**
     * Lets those in that have come before, and nobody else.
     *
     * @param done runs when they are in
     */
    void drain(Runnable done) {
        hide();
        drain(acceptors.iterator(), done);
    }

    /** Once: when the channels are closed, a file of the next server may look like one of ours. */
    private void hide() {
        places.forEach(Listening::hide);
        places = List.of();
    }

    private static void drain(Iterator<Acceptor> rest, Runnable done) {
        if (rest.hasNext()) {
            rest.next().closeBehindBacklog(Listening.ACCEPT_BACKLOG, () -> drain(rest, done));
        } else {
            done.run();
        }
    }

    void end() {
        hide();
        acceptors.forEach(Acceptor::close);
        acceptors = List.of();
    }

    /** From any thread: how many are open or on their way to their loop. */
    int connections() {
        int sum = 0;
        for (ServerLoop each : serverLoops) {
            sum += each.connectionCount();
        }
        return sum;
    }

    /** On the loop of the connection. */
    void connectionClosed() {
        if (full) {
            loop.tryExecute(this::resumeBelowLimit);
        }
    }

    private void waitForRoom() {
        if (acceptors.isEmpty()) {
            return;
        }
        full = true;
        acceptors.forEach(Acceptor::pause);
        // A connection may have closed on another loop just before that was visible there.
        resumeBelowLimit();
        makeRoom();
    }

    private void admit(SocketChannel channel, Listening place) {
        InetAddress counted = clientLimit == null ? null : address(channel);
        ServerLoop chosen = leastLoaded();
        if (clientLimit != null && counted != null && !clientLimit.enter(counted)) {
            chosen.close(channel);
            listener.onClientLimit(ClientAddress.format(counted));
            return;
        }
        chosen.expectConnection();
        int open = connections();
        Runnable opening =
                () -> {
                    if (evictsForNewcomers && connections() > connectionLimit) {
                        chosen.evictLongestUnused();
                    }
                    chosen.open(channel, place, counted);
                };
        if (chosen.loop().tryRun(opening)) {
            listener.onAccepted(open);
        } else {
            chosen.reject(channel, counted);
        }
    }

    /** Null where the client has none, as behind a Unix socket. */
    private static @Nullable InetAddress address(SocketChannel channel) {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress inet
                    ? inet.getAddress()
                    : null;
        } catch (IOException gone) {
            return null;
        }
    }

    private ServerLoop leastLoaded() {
        int all = connections();
        ServerLoop least = serverLoops.getFirst();
        long leastLoad = load(least, all);
        for (ServerLoop candidate : serverLoops) {
            long load = load(candidate, all);
            if (load < leastLoad) {
                least = candidate;
                leastLoad = load;
            }
        }
        return least;
    }

    /**
     * What a loop has to do, in thousandths of a connection.
     *
     * @param all the connections of all loops
     */
    private long load(ServerLoop each, long all) {
        return 1000L * each.connectionCount() + all * otherWork.applyAsInt(each.loop());
    }

    private void resumeBelowLimit() {
        if (!acceptors.isEmpty() && full && connections() < connectionLimit) {
            full = false;
            acceptors.forEach(Acceptor::resume);
            acceptInTurn();
            if (toldFull) {
                toldFull = false;
                listener.onAcceptResumed();
            }
        }
    }

    /** One at each place, as far as there is room: a crowd at one would take it all. */
    private void acceptInTurn() {
        for (int i = 0; i < acceptors.size() && connections() < connectionLimit; i++) {
            turn = (turn + 1) % acceptors.size();
            acceptors.get(turn).acceptOne();
        }
    }

    /**
     * Ends the client that has been silent for longest; when fewer may be open than before, as many
     * as are too many. If it has sent something meanwhile, which only its loop can see, it stays.
     * So this is tried again until there is room.
     */
    private void makeRoom() {
        if (!full) {
            return;
        }
        int tooMany = Math.clamp(connections() - connectionLimit + 1, 1, MOST_EVICTED);
        ServerLoop silent = longest(ServerLoop::longestSilenceSinceNanos, LEAST_WAIT_NANOS);
        ServerLoop stalled =
                silent == null
                        ? longest(ServerLoop::longestStallSinceNanos, LEAST_STALL_NANOS)
                        : null;
        if (silent != null) {
            silent.loop().tryRun(() -> silent.evictLongestSilent(LEAST_WAIT_NANOS, tooMany));
        } else if (stalled != null) {
            stalled.loop().tryRun(() -> stalled.evictLongestStalled(LEAST_STALL_NANOS, tooMany));
        } else if (!toldFull) {
            toldFull = true;
            listener.onAcceptPaused();
        }
        if (!retrying) {
            retrying = true;
            loop.scheduleAfter(RETRY_NANOS, this::retry);
        }
    }

    private void retry() {
        retrying = false;
        if (!acceptors.isEmpty()) {
            makeRoom();
        }
    }

    /** The loop whose client has waited for longest; null if none has for so long. */
    private @Nullable ServerLoop longest(ToLongFunction<ServerLoop> waitsSince, long leastNanos) {
        ServerLoop longest = null;
        long mostNanos = leastNanos;
        for (ServerLoop each : serverLoops) {
            long since = waitsSince.applyAsLong(each);
            if (since != SilentClients.NONE && loop.nanoTime() - since >= mostNanos) {
                longest = each;
                mostNanos = loop.nanoTime() - since;
            }
        }
        return longest;
    }
}

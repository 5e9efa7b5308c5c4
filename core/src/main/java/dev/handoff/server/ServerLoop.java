package dev.handoff.server;

import dev.handoff.loop.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's part on one loop: opens the connections that live there, and makes room among them.
 *
 * <p>Belongs to the loop's thread, but for {@link #connectionCount}, {@link #expectConnection},
 * {@link #reject}, {@link #close}, {@link #longestSilenceSinceNanos} and {@link
 * #longestStallSinceNanos}.
 */
final class ServerLoop implements Connection.Owner {
    private final LoopContext context;
    private final boolean evictsForNewcomers;
    private final Runnable whenConnectionClosed;
    private final Set<Connection> connections = new HashSet<>();
    private final AtomicInteger connectionCount = new AtomicInteger();
    private final RequestRelief requestRelief;
    private final ResponseRelief responseRelief;

    ServerLoop(LoopContext context, boolean evictsForNewcomers, Runnable whenConnectionClosed) {
        this.context = context;
        this.evictsForNewcomers = evictsForNewcomers;
        this.whenConnectionClosed = whenConnectionClosed;
        this.requestRelief = new RequestRelief(context.loop(), context.budget(), connections);
        this.responseRelief = new ResponseRelief(context.loop(), context.budget(), connections);
        new ClaimRelief(context.loop(), context.responseRoom(), context.budget(), connections)
                .listen();
        new MessageRelief(context.loop(), context.responseRoom(), context.budget(), connections)
                .listen();
        Spool spool = context.spool();
        if (spool != null) {
            new SpoolRelief(context.loop(), connections, spool).listen();
        }
    }

    EventLoop loop() {
        return context.loop();
    }

    ServerLoad load() {
        return context.load();
    }

    /** From any thread: the connections that live here or are on their way. */
    int connectionCount() {
        return connectionCount.get();
    }

    /** From the acceptor's thread: counts a connection before it is {@link #open opened} here. */
    void expectConnection() {
        connectionCount.incrementAndGet();
    }

    /**
     * @param place where it was accepted
     * @param counted the client that the connection counts for; null where no client has a limit
     */
    void open(SocketChannel channel, Listening place, @Nullable InetAddress counted) {
        Connection opened;
        try {
            opened = new Connection(context, this, channel, place, counted);
            connections.add(opened);
        } catch (IOException failure) {
            // The client was gone before its first byte, or no descriptor was left to watch it.
            reject(channel, counted);
            context.listener().onAcceptFailed(failure);
            return;
        } catch (Throwable bug) {
            reject(channel, counted);
            throw bug;
        }
        context.listener().onConnectionOpened(opened.peer().name());
        if (evictsForNewcomers) {
            // In a flood others might have its place before its turn to be read comes.
            opened.readNow();
        }
    }

    /**
     * From any thread: since when the longest silence of a client lasts; or {@link
     * SilentClients#NONE}.
     */
    long longestSilenceSinceNanos() {
        return context.silentClients().longestSinceNanos();
    }

    /**
     * From any thread: since when the client that has taken nothing for longest has not; or {@link
     * SilentClients#NONE}.
     */
    long longestStallSinceNanos() {
        return context.stalledClients().longestSinceNanos();
    }

    /** The same as {@link #evictLongestSilent}, for clients that have taken nothing. */
    void evictLongestStalled(long leastNanos, int most) {
        evict(context.stalledClients(), leastNanos, most);
    }

    /**
     * Evicts the clients that have been silent for longest, as far as they have been for so long.
     *
     * @param most how many go at most
     */
    void evictLongestSilent(long leastNanos, int most) {
        evict(context.silentClients(), leastNanos, most);
    }

    private void evict(SilentClients clients, long leastNanos, int most) {
        clients.longest(most, loop().nanoTime() - leastNanos).forEach(SilentClients.Client::evict);
    }

    /** Closes the connection that has been unused for longest, to make room for another. */
    void evictLongestUnused() {
        if (!connections.isEmpty()) {
            Collections.min(connections, Connection.LONGEST_UNUSED_FIRST)
                    .close(ConnectionEnd.EVICTED);
        }
    }

    @Override
    public void makeRoomFor(Connection crowded) {
        requestRelief.makeRoomFor(crowded);
    }

    @Override
    public void responsesFull() {
        responseRelief.relieveSoon();
    }

    @Override
    public void closed(Connection connection, ConnectionEnd end) {
        connections.remove(connection);
        // This comes first: a listener that is told of the end finds the connection counted no
        // more.
        uncount(connection.counted());
        try {
            context.listener().onConnectionClosed(end);
        } finally {
            whenConnectionClosed.run();
        }
    }

    /** From any thread: closes a channel that was {@link #expectConnection expected} here. */
    void reject(SocketChannel channel, @Nullable InetAddress counted) {
        close(channel);
        uncount(counted);
        whenConnectionClosed.run();
    }

    private void uncount(@Nullable InetAddress counted) {
        ClientLimit clientLimit = context.clientLimit();
        if (clientLimit != null && counted != null) {
            clientLimit.leave(counted);
        }
        connectionCount.decrementAndGet();
    }

    /** From any thread: closes a channel that is no connection. */
    void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException failure) {
            context.listener().onAcceptFailed(failure);
        }
    }

    void forEachConnection(Consumer<Connection> action) {
        new ArrayList<>(connections).forEach(action);
    }
}

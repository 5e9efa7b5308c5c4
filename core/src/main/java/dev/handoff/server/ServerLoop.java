package dev.handoff.server;

import dev.handoff.http.HttpDate;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.forwarding.Forwarding;
import dev.handoff.server.forwarding.TrustedProxies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's part on one loop: the connections that live there and what they share.
 *
 * <p>Belongs to the loop's thread, but for {@link #connectionCount} and {@link
 * #longestWaitSinceNanos}.
 */
final class ServerLoop {
    private final EventLoop loop;
    private final Handler handler;
    private final ServerLimits limits;
    private final ServerListener listener;
    private final Runnable whenConnectionClosed;
    private final @Nullable ClientLimit clientLimit;
    private final boolean evictsForNewcomers;
    private final Set<Connection> connections = new HashSet<>();
    private final AtomicInteger connectionCount = new AtomicInteger();
    private final BufferBudget budget;
    private final ResponseRoom responseRoom;
    private final ResponseRelief responseRelief;
    private final RequestRelief requestRelief;
    private final AwaitedClients awaited = new AwaitedClients();
    private final @Nullable TrustedProxies trustedProxies;
    private final @Nullable RequestIds requestIds;
    private final Map<Refusal, String> limitNames;
    private int active;
    private long dateSecond = -1;
    private byte[] date = new byte[0];

    ServerLoop(
            EventLoop loop,
            ServerOptions options,
            ServerListener listener,
            @Nullable ClientLimit clientLimit,
            long bufferedBytesLimit,
            ResponseRoom responseRoom,
            Runnable whenConnectionClosed) {
        this.loop = loop;
        this.handler = options.handler;
        this.limits = options.limits;
        this.trustedProxies = options.trustedProxies;
        this.limitNames = options.limitNames;
        this.requestIds = options.requestIds ? new RequestIds() : null;
        this.listener = listener;
        this.responseRoom = responseRoom;
        this.budget = new BufferBudget(bufferedBytesLimit, responseRoom);
        this.responseRelief = new ResponseRelief(loop, budget, connections);
        new ClaimRelief(loop, responseRoom, budget, connections).listen();
        this.requestRelief = new RequestRelief(loop, connections);
        this.clientLimit = clientLimit;
        this.evictsForNewcomers = options.evictsForNewcomers;
        this.whenConnectionClosed = whenConnectionClosed;
    }

    EventLoop loop() {
        return loop;
    }

    Handler handler() {
        return handler;
    }

    ServerLimits limits() {
        return limits;
    }

    ServerListener listener() {
        return listener;
    }

    /** What a refusal says in brackets; empty for nothing. */
    String limitName(Refusal refusal) {
        return limitNames.getOrDefault(refusal, "");
    }

    /** The judge of what a peer says about proxies, or null where none is trusted. */
    @Nullable Forwarding forwarding(SocketAddress peer) {
        return trustedProxies != null && peer instanceof InetSocketAddress address
                ? new Forwarding(trustedProxies, address)
                : null;
    }

    /** The request with an id, if the server gives them one. */
    Request named(Request request) {
        return requestIds == null ? request : requestIds.named(request);
    }

    /** The response with its request's id, if the server tells clients. */
    Response answering(@Nullable String requestId, Response response) {
        return requestIds == null ? response : RequestIds.echo(requestId, response);
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
     * @param counted as whose connection it counts; null where that is limited for nobody
     */
    void open(SocketChannel channel, @Nullable InetAddress counted) {
        Connection opened;
        try {
            opened = new Connection(this, channel, counted);
            connections.add(opened);
        } catch (IOException failure) {
            // The client was gone before its first byte, or no descriptor was left to watch it.
            close(channel);
            forget(counted);
            listener.onAcceptFailed(failure);
            return;
        } catch (Throwable bug) {
            close(channel);
            forget(counted);
            throw bug;
        }
        listener.onConnectionOpened();
        if (evictsForNewcomers) {
            // In a flood others might have its place before its turn to be read comes.
            opened.readNow();
        }
    }

    /**
     * From any thread: since when the longest wait for a client lasts; or {@link
     * AwaitedClients#NONE}.
     */
    long longestWaitSinceNanos() {
        return awaited.longestSinceNanos();
    }

    AwaitedClients awaited() {
        return awaited;
    }

    /** Makes room for another connection, if one has waited for its client for so long. */
    void displaceLongest(long leastNanos) {
        Connection longest = awaited.longest();
        if (longest != null && loop.nanoTime() - awaited.longestSinceNanos() >= leastNanos) {
            longest.displace();
        }
    }

    /** Makes room for another connection, whatever it costs. */
    void displaceOne() {
        if (!connections.isEmpty()) {
            Collections.min(connections, Connection.LONGEST_UNUSED_FIRST)
                    .close(ConnectionEnd.DISPLACED);
        }
    }

    void closed(Connection connection, ConnectionEnd end) {
        connections.remove(connection);
        // Before anybody hears of it: who is told that it is closed finds it counted no more.
        uncount(connection.counted());
        try {
            listener.onConnectionClosed(end);
        } finally {
            whenConnectionClosed.run();
        }
    }

    private void forget(@Nullable InetAddress counted) {
        uncount(counted);
        whenConnectionClosed.run();
    }

    private void uncount(@Nullable InetAddress counted) {
        if (clientLimit != null && counted != null) {
            clientLimit.leave(counted);
        }
        connectionCount.decrementAndGet();
    }

    void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException failure) {
            listener.onAcceptFailed(failure);
        }
    }

    /** So many more connections have something to do, or fewer. */
    void activeChanged(int by) {
        active += by;
    }

    ServerLoad load() {
        return new ServerLoad(active, budget.bytes());
    }

    BufferBudget budget() {
        return budget;
    }

    ResponseRoom responseRoom() {
        return responseRoom;
    }

    ResponseRelief responseRelief() {
        return responseRelief;
    }

    RequestRelief requestRelief() {
        return requestRelief;
    }

    @Nullable ClientLimit clientLimit() {
        return clientLimit;
    }

    void forEachConnection(Consumer<Connection> action) {
        new ArrayList<>(connections).forEach(action);
    }

    /** The value of the Date field, made anew once a second (RFC 9110 section 6.6.1). */
    byte[] date() {
        long second = loop.clock().epochSeconds();
        if (second != dateSecond) {
            dateSecond = second;
            date = HttpDate.format(second);
        }
        return date;
    }
}
